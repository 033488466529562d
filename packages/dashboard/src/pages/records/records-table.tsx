import { Anchor, Badge, Group, Text } from '@mantine/core'
import type { StoredRecord } from '@recordhub/protocol'
import type { MouseEvent, ReactNode } from 'react'
import { type ListColumn, ListTable } from '../../components/list-table/list-table.tsx'
import { textOfValue } from '../../lib/lossless-json.ts'
import { Cell } from './cell.tsx'
import { type ColumnActions, ColumnHeader } from './column-header.tsx'
import { moveTo, type PlacedColumn } from './column-layout.ts'
import { type Column, missingLabel } from './columns.ts'
import type { Sort } from './list-query.ts'

type TableProps = {
  label: string
  /** Undefined while they load. */
  records: readonly StoredRecord[] | undefined
  columns: readonly (Column & PlacedColumn)[]
  place: (layout: readonly PlacedColumn[]) => void
  sort: Sort
  /** The filter keys of the filtered columns. */
  filtered: ReadonlySet<string>
  isIndexed: (column: Column) => boolean | null
  actionsFor: (column: Column) => ColumnActions
  /** The URL of the list with a record open. */
  addressOf: (record: StoredRecord) => string
  open: (record: StoredRecord) => void
  opened: number | null
  isStale: boolean
  empty: ReactNode
}

const WIDTHS = { text: 170, number: 110, date: 130, boolean: 100 }
const WIDTHS_OF_ID: Readonly<Record<string, number>> = {
  hub_reference_number: 124,
  hub_full_name: 220,
  hub_updated_at: 124,
}
export const MIN_WIDTH = 64

export function widthOf({ id, kind, width }: Column & PlacedColumn): number {
  return width ?? WIDTHS_OF_ID[id] ?? WIDTHS[kind]
}

/** The table of records with the visible columns. Only the visible rows are rendered. */
export function RecordsTable({ columns, place, ...props }: TableProps) {
  const badged = columns.find(({ id }) => id === 'hub_full_name') ?? columns[0]
  const isUnsized = ({ id, width }: PlacedColumn) => id === 'hub_full_name' && width === undefined
  return (
    <ListTable
      label={props.label}
      scrolls
      rows={props.records}
      idOf={({ record_id }) => record_id}
      isCurrent={({ record_id }) => record_id === props.opened}
      isStale={props.isStale}
      onOpen={props.open}
      empty={props.empty}
      layout={{
        widths: Object.fromEntries(columns.map((column) => [column.id, widthOf(column)])),
        pinned: columns.filter(({ isPinned }) => isPinned).map(({ id }) => id),
        flexible: (columns.find(isUnsized) ?? columns.at(-1))?.id,
        onResize: (widths) => place(resize(columns, widths)),
        onMove: (id, to) => place(moveTo(columns, id, to)),
      }}
      columns={columns.map((column, index) => listColumn(column, index, column === badged, props))}
    />
  )
}

function resize(
  columns: readonly (Column & PlacedColumn)[],
  widths: Readonly<Record<string, number>>,
): PlacedColumn[] {
  return columns.map((column) => {
    const width = Math.max(MIN_WIDTH, widths[column.id] ?? 0)
    return width === widthOf(column) ? column : { ...column, width }
  })
}

function listColumn(
  column: Column & PlacedColumn,
  index: number,
  hasBadges: boolean,
  props: Omit<TableProps, 'columns' | 'place'>,
): ListColumn<StoredRecord> {
  return {
    id: column.id,
    title: column.label,
    ...(column.kind === 'number' ? { align: 'right' } : {}),
    ...phonePlaceOf(column, index),
    head: (
      <ColumnHeader
        column={column}
        sort={props.sort}
        isFiltered={column.filter !== null && props.filtered.has(column.filter)}
        isIndexed={props.isIndexed(column)}
        actions={props.actionsFor(column)}
      />
    ),
    render(record) {
      const cell =
        index === 0 ? (
          <FirstCell column={column} record={record} {...props} />
        ) : (
          <Cell column={column} value={column.valueOf(record)} />
        )
      return hasBadges ? <WithBadges record={record}>{cell}</WithBadges> : cell
    },
  }
}

/** A phone shows the name, the time, the first field and the reference. */
function phonePlaceOf({ id }: Column, index: number): Pick<ListColumn<StoredRecord>, 'phone'> {
  if (id === 'hub_updated_at') return { phone: 'end' }
  if (id === 'hub_reference_number') return { phone: 'end2' }
  if (id === 'hub_full_name') return { phone: 'first' }
  return index <= 2 ? {} : { phone: 'none' }
}

/** The first cell: a link to the record. */
function FirstCell({
  column,
  record,
  addressOf,
  open,
}: {
  column: Column
  record: StoredRecord
} & Pick<TableProps, 'addressOf' | 'open'>) {
  const value = column.valueOf(record)
  const follow = (event: MouseEvent) => {
    // The browser handles opening in a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    open(record)
  }
  return (
    <Anchor href={addressOf(record)} fz="inherit" onClick={follow}>
      {textOfValue(value) ? <Cell column={column} value={value} /> : `Record ${record.record_id}`}
    </Anchor>
  )
}

/** A cell with badges for an incomplete or missing record, which stay visible beside a long value. */
function WithBadges({ record, children }: { record: StoredRecord; children: ReactNode }) {
  const { incomplete } = record
  const missing = missingLabel(record)
  if (!incomplete && missing === null) return children
  return (
    <Group gap={6} wrap="nowrap">
      <Text span truncate fz="inherit">
        {children}
      </Text>
      {incomplete && (
        <Badge size="xs" variant="light" color="orange" tt="none" flex="none">
          Incomplete
        </Badge>
      )}
      {missing !== null && (
        <Badge size="xs" variant="light" color="orange" tt="none" flex="none">
          {missing}
        </Badge>
      )}
    </Group>
  )
}
