import { Text } from '@mantine/core'
import { formatRelative, formatTime } from '../../lib/format.ts'
import { isPlainObject, textOfValue } from '../../lib/lossless-json.ts'
import type { Column } from './columns.ts'
import { isInstant } from './filters.ts'

/** Longer texts are not visible in a table cell. */
const MAX_SHOWN = 160
const MAX_IN_TOOLTIP = 1000

/** A value in the table, on one line. The browser's tooltip shows more of a truncated text. */
export function Cell({ column, value }: { column: Column; value: unknown }) {
  if (isInstant(column) && typeof value === 'string') {
    return (
      <time dateTime={value} title={`${formatRelative(value, Date.now())}, ${value}`}>
        {formatTime(value, { seconds: true })}
      </time>
    )
  }
  const text = textOfValue(value)
  if (value === undefined) return null
  if (text === null || text === '') return <Dimmed>—</Dimmed>
  const isTree = Array.isArray(value) || isPlainObject(value)
  return (
    <Text
      span
      fz={isTree ? 'xs' : 'sm'}
      {...(isTree ? { ff: 'monospace' } : {})}
      display="block"
      truncate
      title={shorten(text, MAX_IN_TOOLTIP)}
    >
      {shorten(text, MAX_SHOWN)}
    </Text>
  )
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span c="dimmed" fz="sm">
      {children}
    </Text>
  )
}
