import { ActionIcon, Tooltip, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import classes from './shell.module.css'

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const
const SCHEMES = {
  auto: { icon: IconDeviceDesktop, label: 'Color scheme: system' },
  light: { icon: IconSun, label: 'Color scheme: light' },
  dark: { icon: IconMoon, label: 'Color scheme: dark' },
} as const

export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { icon: Icon, label } = SCHEMES[colorScheme]
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        className={classes['scheme'] ?? ''}
        aria-label={`${label}. Change`}
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Icon size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
