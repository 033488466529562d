import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

/** A button that is only an icon. Its tooltip is the action; `label` also names what it acts on. */
export function IconButton({
  icon: Image,
  action,
  label = action,
  ...props
}: ActionIconProps & {
  icon: Icon
  action: string
  label?: string
  onClick: () => void
}) {
  return (
    <Tooltip label={action}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...props}>
        <Image size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
