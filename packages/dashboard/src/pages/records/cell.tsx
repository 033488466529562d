import type { SearchMatch } from '@recordhub/protocol'
import { summarizeValue } from '@recordhub/protocol/summarize-value'
import { Dimmed } from '../../components/list-table/columns.tsx'
import { Ago, Time } from '../../components/time.tsx'
import { isPlainObject, textOfValue } from '../../lib/lossless-json.ts'
import { matchTerms } from '../../lib/match-words.ts'
import { Marked } from '../search/marked.tsx'
import type { Column } from './columns.ts'
import { isInstant } from './filters.ts'

/** Longer texts are not visible in a table cell. */
const MAX_SHOWN = 160
const MAX_IN_TOOLTIP = 1000

/**
 * A value in the table, on one line: nested values as a summary. The tooltip shows more of a truncated text.
 * @param props.search marked in the value.
 * @param props.match what a search of all values found; marked if it is this value.
 */
export function Cell(props: {
  column: Column
  value: unknown
  search?: string
  match?: SearchMatch | undefined
}) {
  const { column, value, search = '', match } = props
  if (value === undefined) return null
  if (isInstant(column) && typeof value === 'string') {
    return (
      <Dimmed>{column.id === 'hub_updated_at' ? <Ago at={value} /> : <Time at={value} />}</Dimmed>
    )
  }
  const text = summaryOf(value, column.label)
  if (text === null) return <Dimmed>—</Dimmed>
  const isNested = Array.isArray(value) || isPlainObject(value)
  const tooltip = textOfValue(value) ?? ''
  return (
    <span style={isNested ? SECONDARY : undefined} title={shorten(tooltip, MAX_IN_TOOLTIP)}>
      <Marked
        text={text}
        ranges={match && isMatch(match, column, value) ? match.ranges : matchTerms(text, search)}
      />
    </span>
  )
}

/** Whether a match is the text that a cell shows. */
export function isMatch({ column: id, text }: SearchMatch, column: Column, value: unknown) {
  return id === column.id && text === summaryOf(value, column.label)
}

const SECONDARY = { color: 'var(--text-2)' }

/** A value on one line; null for an empty one. @param label of the value, in the plural for a list. */
export function summaryOf(value: unknown, label: string): string | null {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  // Yes and no say nothing without their names.
  const summary = summarizeValue(value, label.toLowerCase(), (member) =>
    typeof member === 'boolean' ? null : textOfValue(member),
  )
  return summary && shorten(summary, MAX_SHOWN)
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}
