import { Box, Button, Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { recordTotalQuery } from '../../api/records.ts'
import { formatCount, formatNumber, formatShort } from '../../lib/format.ts'
import { pickState, type UrlState, useUrlState } from '../../lib/url-state.ts'
import { type Column, type TreeColumn, unfoldedColumns } from './columns.ts'
import { changeView, isFiltered, sortOf, textOfSort } from './list-query.ts'
import classes from './records.module.css'

type OrderProps = {
  columns: readonly TreeColumn[]
  /** The state with the order in which the records are listed, which the other pages share. */
  order: UrlState
}

/** The number of records, their order and the page buttons. */
export function ListFooter({ page, columns, order }: { page: RecordPage } & OrderProps) {
  const [state, change] = useUrlState()
  const { next_cursor, previous_cursor } = page
  const all = useQuery(
    recordTotalQuery(pickState(state, ['platform', 'record_type']), isFiltered(state)),
  )
  const go = (cursor: string | null) => () => change({ sort: order['sort'], cursor })
  return (
    <div className={classes['foot']}>
      <span role="status">
        {totalLabel(page)}
        {all.data !== undefined && ` of ${formatNumber(all.data)}`}
      </span>
      <OrderMenu columns={columns} order={order} />
      <nav aria-label="Pagination">
        {state['cursor'] !== undefined && (
          <Button variant="subtle" color="gray" onClick={go(null)}>
            First page
          </Button>
        )}
        <Button variant="default" disabled={previous_cursor === null} onClick={go(previous_cursor)}>
          Previous
        </Button>
        <Button variant="default" disabled={next_cursor === null} onClick={go(next_cursor)}>
          Next
        </Button>
      </nav>
    </div>
  )
}

/** The order of the list, and the others; a phone has no heads of columns that could be clicked. */
function OrderMenu({ columns, order }: OrderProps) {
  const [, change] = useUrlState()
  const current = textOfSort(sortOf(order))
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const containers = columns.filter(({ depth }, index) => (columns[index + 1]?.depth ?? 0) > depth)
  const foldOf = ({ id, name, depth }: TreeColumn) => (
    <Menu.Item
      closeMenuOnClick={false}
      aria-expanded={open.has(id)}
      rightSection={open.has(id) ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
      onClick={() => setOpen(open.symmetricDifference(new Set([id])))}
    >
      <Box component="span" pl={16 * depth}>
        {name}
      </Box>
    </Menu.Item>
  )
  const ordersOf = ({ sort: by, name, depth }: TreeColumn) =>
    by !== null &&
    [true, false].map((descending) => {
      const sort = textOfSort({ by, descending })
      return (
        <Menu.Item
          key={sort}
          aria-current={sort === current || undefined}
          onClick={() => change(changeView({ sort }))}
        >
          <Box component="span" pl={16 * depth}>
            {orderLabel({ sort }, [{ sort: by, label: name }])}
          </Box>
        </Menu.Item>
      )
    })
  return (
    <Menu position="top-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes['order'] ?? ''}>
          <VisuallyHidden>Order of the list: </VisuallyHidden>
          {orderLabel(order, columns)} <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {unfoldedColumns(columns, open).map((column) => (
          <Fragment key={column.id}>
            {containers.includes(column) && foldOf(column)}
            {(!containers.includes(column) || open.has(column.id)) && ordersOf(column)}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** `newest first`, `by Amount, descending` */
function orderLabel(state: UrlState, columns: readonly Pick<Column, 'sort' | 'label'>[]): string {
  const { by, descending } = sortOf(state)
  if (by === 'relevance') return 'best first'
  if (by === 'updated_at') return descending ? 'newest first' : 'oldest first'
  const label = columns.find(({ sort }) => sort === by)?.label ?? by
  return `by ${label}, ${descending ? 'descending' : 'ascending'}`
}

/** `about 1.2M records`, `1,234 records` */
export function totalLabel({
  estimated_total,
  total_is_estimate,
}: Pick<RecordPage, 'estimated_total' | 'total_is_estimate'>): string {
  if (!total_is_estimate) return formatCount(estimated_total, 'record')
  return `about ${formatShort(estimated_total)} ${estimated_total === 1 ? 'record' : 'records'}`
}
