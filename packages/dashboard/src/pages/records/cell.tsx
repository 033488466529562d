import { Text } from '@mantine/core'
import { isPlainObject, textOfValue } from '../../lib/exact-json.ts'
import { formatRelative, formatTime } from '../../lib/format.ts'
import type { Column } from './columns.ts'
import { isInstant } from './filters.ts'

/** More of a text is not seen in a table, and would only weigh. */
const MAX_SHOWN = 160
const MAX_IN_TOOLTIP = 1000

/** A value in a table: one line, as it was sent. A browser's own tooltip shows what is cut off. */
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
  if (text === null) return <Quiet>–</Quiet>
  if (text === '') return <Quiet>empty</Quiet>
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

function Quiet({ children }: { children: string }) {
  return (
    <Text span c="dimmed" fz="sm">
      {children}
    </Text>
  )
}
