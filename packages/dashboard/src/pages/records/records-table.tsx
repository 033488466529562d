import 'mantine-datatable/styles.css'
import { Anchor, Badge, Group, Skeleton, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { StoredRecord } from '@recordhub/protocol'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import type { MouseEvent, ReactNode } from 'react'
import { textOfValue } from '../../lib/exact-json.ts'
import { Cell } from './cell.tsx'
import { type ColumnActions, ColumnHeader } from './column-header.tsx'
import type { Column } from './columns.ts'
import type { Sort } from './list-query.ts'
import classes from './records-table.module.css'

export type TableParts = {
  records: readonly StoredRecord[]
  columns: readonly Column[]
  sort: Sort
  /** As filters name the columns. */
  filtered: ReadonlySet<string>
  isIndexed: (column: Column) => boolean | null
  actionsFor: (column: Column) => ColumnActions
  /** The address that shows the list with a record open. */
  addressOf: (record: StoredRecord) => string
  open: (record: StoredRecord) => void
  opened: number | null
  isFetching: boolean
  /** Under which the browser remembers the widths of these columns. */
  widthsKey: string
  empty: ReactNode
}

const FROM_TABLET = '(min-width: 48em)'
/** Stay in view while the others scroll, as long as they are the first ones. */
const PINNED: readonly string[] = ['hub_reference_number', 'hub_full_name']

/** Records, a row each, under the columns that were chosen. */
export function RecordsTable({ columns, records, ...parts }: TableParts) {
  const isWide = useMediaQuery(FROM_TABLET, true, { getInitialValueInEffect: false })
  const pinned = pinnedOf(columns, isWide ? PINNED.length : 1)
  return (
    <DataTable
      className={classes['table'] ?? ''}
      storeColumnsKey={parts.widthsKey}
      withTableBorder
      borderRadius="md"
      highlightOnHover
      verticalSpacing={6}
      height={records.length > 8 ? 'max(360px, calc(100dvh - 330px))' : 'auto'}
      minHeight={records.length === 0 ? 280 : 0}
      scrollAreaProps={{ type: 'auto', viewportProps: { tabIndex: 0, 'aria-label': 'Records' } }}
      fetching={parts.isFetching}
      loaderBackgroundBlur={0}
      // It stands over the rows, unseen, where there are any.
      emptyState={
        <div className={records.length === 0 ? classes['empty'] : ''}>
          {records.length === 0 ? parts.empty : null}
        </div>
      }
      idAccessor="record_id"
      records={[...records]}
      columns={columns.map((column, place) => ({
        ...tableColumn(column, place === 0, parts),
        ...(pinned.includes(column) ? { pinned: 'left' as const } : {}),
      }))}
      onRowClick={({ record, event }) => {
        // A link has done it already; who marks text does not want to leave.
        if (event.defaultPrevented || getSelection()?.isCollapsed === false) return
        parts.open(record)
      }}
      rowClassName={({ record_id }) =>
        [classes['row'], record_id === parts.opened ? classes['opened'] : ''].join(' ')
      }
    />
  )
}

/** The first columns that are pinned; a phone has room for one. */
function pinnedOf(columns: readonly Column[], max: number): readonly Column[] {
  const end = columns.findIndex(({ id }, index) => index === max || !PINNED.includes(id))
  return end === -1 ? columns : columns.slice(0, end)
}

function tableColumn(
  column: Column,
  isFirst: boolean,
  parts: Omit<TableParts, 'columns' | 'records'>,
): DataTableColumn<StoredRecord> {
  return {
    accessor: column.id,
    title: (
      <ColumnHeader
        column={column}
        sort={parts.sort}
        isFiltered={column.filter !== null && parts.filtered.has(column.filter)}
        isIndexed={parts.isIndexed(column)}
        actions={parts.actionsFor(column)}
      />
    ),
    textAlign: column.kind === 'number' ? 'right' : 'left',
    ellipsis: true,
    resizable: true,
    cellsClassName: classes['cell'] ?? '',
    render: (record) =>
      isFirst ? (
        <FirstCell column={column} record={record} parts={parts} />
      ) : (
        <Cell column={column} value={column.valueOf(record)} />
      ),
  }
}

/** Leads to the record, and says what is amiss with it. */
function FirstCell({
  column,
  record,
  parts,
}: {
  column: Column
  record: StoredRecord
  parts: Pick<TableParts, 'addressOf' | 'open'>
}) {
  const value = column.valueOf(record)
  const follow = (event: MouseEvent) => {
    // Other ways of following a link are the browser's.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return event.stopPropagation()
    event.preventDefault()
    parts.open(record)
  }
  return (
    // Badges that have no room beside the reference stand below it.
    <Group gap="0 6px">
      <Anchor href={parts.addressOf(record)} fz="sm" maw="100%" truncate onClick={follow}>
        {textOfValue(value) ? <Cell column={column} value={value} /> : `Record ${record.record_id}`}
      </Anchor>
      {record.incomplete && (
        <Badge size="xs" variant="light" color="yellow" tt="none">
          incomplete
        </Badge>
      )}
      {record.missing_since !== null && (
        <Badge size="xs" variant="light" color="orange" tt="none">
          missing
        </Badge>
      )}
    </Group>
  )
}

const ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

/** In the place of the table until the first records are there. */
export function TableSkeleton() {
  return (
    <Stack gap={6} aria-busy="true" aria-label="Loading records">
      <Skeleton height={36} />
      {ROWS.map((row) => (
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  )
}
