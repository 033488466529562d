import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'

type Props = ActionIconProps & Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps>

/** A button that is only an icon. @param label what it does, for screen readers. */
export function IconButton({
  label,
  tooltip,
  ...props
}: Props & { label: string; tooltip?: string }) {
  const button = <ActionIcon variant="subtle" color="gray" aria-label={label} {...props} />
  return tooltip === undefined ? button : <Tooltip label={tooltip}>{button}</Tooltip>
}
