import { Button } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { recordTotalQuery } from '../../api/records.ts'
import { formatCount, formatNumber, formatShort } from '../../lib/format.ts'
import { toQueryString } from '../../lib/query-string.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { isFiltered, sortOf } from './list-query.ts'
import classes from './records.module.css'

/** The number of records, their order and the page buttons. */
export function ListFooter({
  page,
  state,
  columns,
  change,
}: {
  page: RecordPage
  state: UrlState
  columns: readonly Column[]
  change: (changes: UrlChanges) => void
}) {
  const { next_cursor, previous_cursor } = page
  const all = useQuery(
    recordTotalQuery(
      toQueryString(state, ['platform', 'record_type'], { limit: 1 }),
      isFiltered(state),
    ),
  )
  const go = (cursor: string | null) => () => change({ cursor })
  return (
    <div className={classes['foot']}>
      <span role="status">
        {totalLabel(page)}
        {all.data !== undefined && ` of ${formatNumber(all.data)}`}
      </span>
      <span className={classes['order']}>{orderLabel(state, columns)}</span>
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

/** `newest first`, `by Amount, descending` */
function orderLabel(state: UrlState, columns: readonly Column[]): string {
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
