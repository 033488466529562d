import { Alert, Button, Group, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconClock, IconHourglass } from '@tabler/icons-react'
import { formatCount } from '../../lib/format.ts'
import { type UrlState, useUrlState } from '../../lib/url-state.ts'

/** Warnings if the list is not ranked or incomplete, or the search index is behind. */
export function ListNotices(props: { page: RecordPage; order: UrlState; isUnranked: boolean }) {
  const { page, order, isUnranked } = props
  const [, change] = useUrlState()
  const { complete, next_cursor, records, search_lag } = page
  return (
    <>
      {isUnranked && (
        <Text size="sm" mb="sm" role="status">
          Too many records match to rank them, so those updated last are first.
        </Text>
      )}
      {!complete && (
        <Alert color="yellow" icon={<IconHourglass />} mb="sm" role="status">
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex={1} miw={220}>
              No index covers these filters. The search stopped after two seconds with{' '}
              {formatCount(records.length, 'record')}. There may be more.
            </Text>
            {next_cursor !== null && (
              <Button
                size="xs"
                variant="default"
                onClick={() => change({ sort: order['sort'], cursor: next_cursor })}
              >
                Continue searching
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {search_lag !== null && search_lag > 0 && (
        <Group gap={6} mb="sm" role="status">
          <IconClock size={16} aria-hidden />
          <Text size="sm">
            {search_lag >= 10_000
              ? 'More than 10,000 updated records are not searchable yet.'
              : `${formatCount(search_lag, 'updated record is', 'updated records are')} not searchable yet.`}
          </Text>
        </Group>
      )}
    </>
  )
}
