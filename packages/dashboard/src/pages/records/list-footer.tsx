import { Button, Group, Select, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'
import { formatCount, formatShort } from '../../lib/format.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'

const SIZES = ['50', '100', '200', '500']

/** How many records there are, and the ways to the other pages. */
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
        {wordsOfTotal(page)}
      </Text>
      <Group gap="xs" component="nav" aria-label="Pages of the list">
        <Select
          aria-label="Records on a page"
          size="xs"
          w={90}
          data={SIZES.includes(limit) ? SIZES : [limit, ...SIZES]}
          value={limit}
          allowDeselect={false}
          onChange={(size) => change({ limit: size === '50' ? null : size, cursor: null })}
        />
        <Button
          size="xs"
          variant="default"
          aria-label="First page"
          disabled={state['cursor'] === undefined}
          onClick={() => change({ cursor: null })}
        >
          <IconChevronsLeft size={16} />
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconChevronLeft size={16} />}
          disabled={previous_cursor === null}
          onClick={() => change({ cursor: previous_cursor })}
        >
          Previous
        </Button>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={16} />}
          disabled={next_cursor === null}
          onClick={() => change({ cursor: next_cursor })}
        >
          Next
        </Button>
      </Group>
    </Group>
  )
}

/** `about 1.2M records`, `1,234 records` */
export function wordsOfTotal({
  estimated_total,
  total_is_estimate,
}: Pick<RecordPage, 'estimated_total' | 'total_is_estimate'>): string {
  if (!total_is_estimate) return formatCount(estimated_total, 'record')
  return `about ${formatShort(estimated_total)} ${estimated_total === 1 ? 'record' : 'records'}`
}
