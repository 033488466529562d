import { Anchor, Badge, Group, Text } from '@mantine/core'
import type { ListedRecord, SearchMatch } from '@recordhub/protocol'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { type ListColumn, ListTable } from '../../components/list-table/list-table.tsx'
import { textOfValue } from '../../lib/lossless-json.ts'
import { changeUrlState, useUrlState, writeUrlState } from '../../lib/url-state.ts'
import { Marked } from '../search/marked.tsx'
import { Cell, isMatch } from './cell.tsx'
import { ColumnHeader } from './column-header.tsx'
import { MIN_WIDTH, moveTo, type PlacedColumn, type ShownColumn, widthOf } from './column-layout.ts'
import { type Column, columnOfPath, missingLabel } from './columns.ts'

/** The columns in which a search is marked: it finds any part of them. */
const SEARCHED: readonly string[] = ['hub_reference_number', 'hub_full_name']

/** The table of records with the visible columns. Only the visible rows are rendered. */
export function RecordsTable(
  props: {
    /** Undefined while they load. */
    records: readonly ListedRecord[] | undefined
    opened: number | null
    isStale: boolean
    empty: ReactNode
    /** All columns that can be shown. */
    known: readonly Column[]
    onOpen: (record: ListedRecord) => void
  } & Omit<ComponentProps<typeof ColumnHeader>, 'column'>,
) {
  const { records, opened, isStale, empty, known, onOpen, ...header } = props
  const { columns, place } = header
  const [{ q = '' }] = useUrlState()
  const badged = columns.find(({ id }) => id === 'hub_full_name') ?? columns[0]
  const isUnsized = ({ id, width }: PlacedColumn) => id === 'hub_full_name' && width === undefined
  return (
    <ListTable
      label="Records"
      scrolls
      rows={records}
      idOf={({ record_id }) => record_id}
      isCurrent={({ record_id }) => record_id === opened}
      isStale={isStale}
      onOpen={onOpen}
      empty={empty}
      layout={{
        widths: Object.fromEntries(columns.map((column) => [column.id, widthOf(column)])),
        pinned: columns.filter(({ isPinned }) => isPinned).map(({ id }) => id),
        flexible: (columns.find(isUnsized) ?? columns.at(-1))?.id,
        onResize: (widths) => place(resize(columns, widths)),
        onMove: (id, to) => place(moveTo(columns, id, to)),
      }}
      columns={columns.map(
        (column, index): ListColumn<ListedRecord> => ({
          id: column.id,
          title: column.label,
          ...(column.kind === 'number' ? { align: 'right' } : {}),
          ...phonePlaceOf(column, index),
          head: <ColumnHeader column={column} {...header} />,
          render(record) {
            const value = column.valueOf(record)
            const isSearched = SEARCHED.includes(column.id)
            const match = record.matches?.find((one) => one.column.startsWith('data.'))
            const search = isSearched ? q : ''
            const cell = <Cell column={column} value={value} search={search} match={match} />
            const shown =
              index > 0 ? (
                cell
              ) : (
                <RecordLink record={record} onOpen={onOpen}>
                  {textOfValue(value) ? cell : `Record ${record.record_id}`}
                </RecordLink>
              )
            if (column !== badged) return shown
            const isMarked = columns.some(
              (one) => match && isMatch(match, one, one.valueOf(record)),
            )
            return (
              <>
                <WithBadges record={record}>{shown}</WithBadges>
                {match && !isMarked && <Match match={match} known={known} />}
              </>
            )
          },
        }),
      )}
    />
  )
}

function resize(
  columns: readonly ShownColumn[],
  widths: Readonly<Record<string, number>>,
): PlacedColumn[] {
  return columns.map((column) => {
    const width = Math.max(MIN_WIDTH, widths[column.id] ?? 0)
    return width === widthOf(column) ? column : { ...column, width }
  })
}

/** A phone shows the name, the time, the first field and the reference. */
function phonePlaceOf({ id }: ShownColumn, index: number): Pick<ListColumn<ListedRecord>, 'phone'> {
  if (id === 'hub_updated_at') return { phone: 'end' }
  if (id === 'hub_reference_number') return { phone: 'end2' }
  if (id === 'hub_full_name') return { phone: 'first' }
  return index <= 2 ? {} : { phone: 'none' }
}

/** Why a search found a record, if no cell shows it. */
function Match({ match, known }: { match: SearchMatch; known: readonly Column[] }) {
  const { column } = match
  const { label } = known.find(({ id }) => id === column) ?? columnOfPath(column) ?? {}
  return (
    <Text size="xs" c="dimmed" pb={6} truncate>
      {label}: <Marked {...match} />
    </Text>
  )
}

/** The first cell. Its address is that of the list with the record open. */
function RecordLink(props: {
  record: ListedRecord
  onOpen: (record: ListedRecord) => void
  children: ReactNode
}) {
  const { record, onOpen, children } = props
  const [state] = useUrlState()
  const opened = changeUrlState(state, { record: String(record.record_id) })
  const follow = (event: MouseEvent) => {
    // The browser handles opening in a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(record)
  }
  return (
    <Anchor href={`/dashboard/records${writeUrlState(opened)}`} fz="inherit" onClick={follow}>
      {children}
    </Anchor>
  )
}

/** A cell with badges for an incomplete or missing record, which stay visible beside a long value. */
function WithBadges({ record, children }: { record: ListedRecord; children: ReactNode }) {
  const badges = [record.incomplete ? 'Incomplete' : null, missingLabel(record)]
  if (badges.every((badge) => badge === null)) return children
  return (
    <Group gap={6} wrap="nowrap">
      <Text span truncate fz="inherit">
        {children}
      </Text>
      {badges.map(
        (badge) =>
          badge !== null && (
            <Badge key={badge} size="xs" variant="light" color="orange" flex="none">
              {badge}
            </Badge>
          ),
      )}
    </Group>
  )
}
