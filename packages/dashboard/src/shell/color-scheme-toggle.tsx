import { ActionIcon, Tooltip, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react'

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const
const SCHEMES = {
  auto: { icon: IconSunMoon, label: 'Color scheme: system' },
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
        aria-label={`${label}. Change`}
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Icon size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
