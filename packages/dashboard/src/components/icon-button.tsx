import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

/** A button that is only an icon. Its tooltip is the action; `label` also names what it acts on. */
export function IconButton({
  icon: Image,
  action,
  label = action,
  stroke = 2,
  ...props
}: ActionIconProps & {
  icon: Icon
  stroke?: number
  action: string
  label?: string
  onClick: () => void
}) {
  return (
    <Tooltip label={action}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...props}>
        <Image size={16} stroke={stroke} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
