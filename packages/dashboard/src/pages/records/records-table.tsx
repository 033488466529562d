import { TEXTS } from './texts.tsx'
import 'mantine-datatable/styles.css'
import { Anchor, Badge, Group, Skeleton, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { StoredRecord } from '@recordhub/protocol'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import type { MouseEvent, ReactNode } from 'react'
import { textOfValue } from '../../lib/lossless-json.ts'
import { Cell } from './cell.tsx'
import { type ColumnActions, ColumnHeader } from './column-header.tsx'
import type { Column } from './columns.ts'
import type { Sort } from './list-query.ts'
import classes from './records-table.module.css'

type TableProps = {
  records: readonly StoredRecord[]
  columns: readonly Column[]
  sort: Sort
  /** The filter keys of the filtered columns. */
  filtered: ReadonlySet<string>
  isIndexed: (column: Column) => boolean | null
  actionsFor: (column: Column) => ColumnActions
  /** The URL of the list with a record open. */
  addressOf: (record: StoredRecord) => string
  open: (record: StoredRecord) => void
  opened: number | null
  isFetching: boolean
  /** The local storage key of the column widths. */
  widthsKey: string
  empty: ReactNode
}

const FROM_TABLET = '(min-width: 48em)'
/** These columns stay visible while the others scroll, if they are the first ones. */
const PINNED: readonly string[] = ['hub_reference_number', 'hub_full_name']

/** The table of records with the visible columns. */
export function RecordsTable({ columns, records, ...props }: TableProps) {
  const isWide = useMediaQuery(FROM_TABLET, true, { getInitialValueInEffect: false })
  const pinned = pinnedOf(columns, isWide ? PINNED.length : 1)
  return (
    <DataTable
      className={classes['table'] ?? ''}
      storeColumnsKey={props.widthsKey}
      withTableBorder
      borderRadius="md"
      highlightOnHover
      verticalSpacing={6}
      height={records.length > 8 ? 'max(360px, calc(100dvh - 330px))' : 'auto'}
      minHeight={records.length === 0 ? 280 : 0}
      scrollAreaProps={{
        type: 'auto',
        viewportProps: { tabIndex: 0, 'aria-label': TEXTS.records },
      }}
      fetching={props.isFetching}
      loaderBackgroundBlur={0}
      // The empty state also covers existing rows, invisibly.
      emptyState={
        <div className={records.length === 0 ? classes['empty'] : ''}>
          {records.length === 0 ? props.empty : null}
        </div>
      }
      idAccessor="record_id"
      records={[...records]}
      columns={columns.map((column, index) => ({
        ...tableColumn(column, index === 0, props),
        ...(pinned.includes(column) ? { pinned: 'left' as const } : {}),
      }))}
      onRowClick={({ record, event }) => {
        // Ignores clicks on a link in the row, and the selection of text.
        if (event.defaultPrevented || getSelection()?.isCollapsed === false) return
        props.open(record)
      }}
      rowClassName={({ record_id }) =>
        [classes['row'], record_id === props.opened ? classes['opened'] : ''].join(' ')
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
  props: Omit<TableProps, 'columns' | 'records'>,
): DataTableColumn<StoredRecord> {
  return {
    accessor: column.id,
    title: (
      <ColumnHeader
        column={column}
        sort={props.sort}
        isFiltered={column.filter !== null && props.filtered.has(column.filter)}
        isIndexed={props.isIndexed(column)}
        actions={props.actionsFor(column)}
      />
    ),
    textAlign: column.kind === 'number' ? 'right' : 'left',
    ellipsis: true,
    resizable: true,
    cellsClassName: classes['cell'] ?? '',
    render: (record) =>
      isFirst ? (
        <FirstCell column={column} record={record} props={props} />
      ) : (
        <Cell column={column} value={column.valueOf(record)} />
      ),
  }
}

/** The first cell: a link to the record, with badges for incomplete and missing records. */
function FirstCell({
  column,
  record,
  props,
}: {
  column: Column
  record: StoredRecord
  props: Pick<TableProps, 'addressOf' | 'open'>
}) {
  const value = column.valueOf(record)
  const follow = (event: MouseEvent) => {
    // The browser handles opening in a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return event.stopPropagation()
    event.preventDefault()
    props.open(record)
  }
  return (
    // Badges wrap below the reference if there is no room.
    <Group gap="0 6px">
      <Anchor href={props.addressOf(record)} fz="sm" maw="100%" truncate onClick={follow}>
        {textOfValue(value) ? (
          <Cell column={column} value={value} />
        ) : (
          TEXTS.recordLink(record.record_id)
        )}
      </Anchor>
      {record.incomplete && (
        <Badge size="xs" variant="light" color="yellow" tt="none">
          {TEXTS.incomplete}
        </Badge>
      )}
      {record.missing_since !== null && (
        <Badge size="xs" variant="light" color="orange" tt="none">
          {TEXTS.missing}
        </Badge>
      )}
    </Group>
  )
}

const ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

/** Shown while the first records load. */
export function TableSkeleton() {
  return (
    <Stack gap={6} aria-busy="true" aria-label={TEXTS.loading}>
      <Skeleton height={36} />
      {ROWS.map((row) => (
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  )
}
