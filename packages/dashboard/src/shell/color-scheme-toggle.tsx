import { ActionIcon, Tooltip, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react'
import { TEXTS } from '../texts.ts'

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const
const SCHEMES = {
  auto: { icon: IconSunMoon, label: TEXTS.colorSchemeSystem },
  light: { icon: IconSun, label: TEXTS.colorSchemeLight },
  dark: { icon: IconMoon, label: TEXTS.colorSchemeDark },
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
        aria-label={TEXTS.change(label)}
        onClick={() => setColorScheme(NEXT[colorScheme])}
      >
        <Icon size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
