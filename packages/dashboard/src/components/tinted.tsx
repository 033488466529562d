import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

const COLORS = {
  dimmed: 'dimmed',
  faint: 'var(--text-3)',
  orange: 'var(--orange-text)',
  red: 'var(--red-text)',
} as const

type TintedProps = { color?: keyof typeof COLORS; children: ReactNode }

/** A part of a text in another color: dimmed, or that of a state. */
export function Tinted({ color = 'dimmed', children }: TintedProps) {
  return (
    <Text span inherit c={COLORS[color]}>
      {children}
    </Text>
  )
}
