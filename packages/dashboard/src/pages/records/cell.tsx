import { Text } from '@mantine/core'
import { isPlainObject, textOfValue } from '../../lib/exact-json.ts'
import { formatRelative, formatTime } from '../../lib/format.ts'
import type { Column } from './columns.ts'
import { isInstant } from './filters.ts'

/** More of a text is not seen in a table, and would only weigh. */
const MOST_SHOWN = 160

/** A value in a table: one line, as it was sent. */
export function Cell({ column, value }: { column: Column; value: unknown }) {
  if (isInstant(column) && typeof value === 'string') {
    return (
      <time dateTime={value} title={`${formatRelative(value, Date.now())}, ${value}`}>
        {formatTime(value)}
      </time>
    )
  }
  const text = textOfValue(value)
  if (value === undefined) return null
  if (text === null) return <Quiet>–</Quiet>
  if (text === '') return <Quiet>empty</Quiet>
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  const isTree = Array.isArray(value) || isPlainObject(value)
  return isTree ? (
    <Text span fz="xs" ff="monospace">
      {shown}
    </Text>
  ) : (
    shown
  )
}

function Quiet({ children }: { children: string }) {
  return (
    <Text span c="dimmed" fz="sm">
      {children}
    </Text>
  )
}
