import { Group, Select, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { PageButtons } from '../../components/page-buttons.tsx'
import { formatCount, formatShort } from '../../lib/format.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import { TEXTS } from './texts.tsx'

const SIZES = ['50', '100', '200', '500']

/** The number of records, the page size and the page buttons. */
export function ListFooter({
  page,
  state,
  change,
}: {
  page: RecordPage
  state: UrlState
  change: (changes: UrlChanges) => void
}) {
  const { next_cursor, previous_cursor } = page
  const { limit = '50' } = state
  return (
    <Group justify="space-between" mt="sm" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {totalLabel(page)}
      </Text>
      <Group gap="xs" component="nav" aria-label={TEXTS.pagination}>
        <Select
          aria-label={TEXTS.recordsPerPage}
          size="xs"
          w={90}
          data={SIZES.includes(limit) ? SIZES : [limit, ...SIZES]}
          value={limit}
          allowDeselect={false}
          onChange={(size) => change({ limit: size === '50' ? null : size, cursor: null })}
        />
        <PageButtons
          onFirst={state['cursor'] === undefined ? null : () => change({ cursor: null })}
          onPrevious={previous_cursor === null ? null : () => change({ cursor: previous_cursor })}
          onNext={next_cursor === null ? null : () => change({ cursor: next_cursor })}
        />
      </Group>
    </Group>
  )
}

/** `about 1.2M records`, `1,234 records` */
export function totalLabel({
  estimated_total,
  total_is_estimate,
}: Pick<RecordPage, 'estimated_total' | 'total_is_estimate'>): string {
  if (!total_is_estimate) return formatCount(estimated_total, 'record')
  return `about ${formatShort(estimated_total)} ${estimated_total === 1 ? 'record' : 'records'}`
}
