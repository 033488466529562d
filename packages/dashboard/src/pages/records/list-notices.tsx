import { Alert, Button, Group, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconClock, IconHourglass } from '@tabler/icons-react'
import { formatCount, formatNumber } from '../../lib/format.ts'
import type { UrlChanges } from '../../lib/url-state.ts'

/** What somebody should know who relies on this page of the list. */
export function ListNotices({
  page,
  change,
}: {
  page: RecordPage
  change: (changes: UrlChanges) => void
}) {
  const { complete, next_cursor, records, search_lag } = page
  return (
    <>
      {!complete && (
        <Alert color="yellow" variant="light" icon={<IconHourglass />} mb="sm" role="status">
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex={1} miw={220}>
              No index finds what you filter by, so the hub looked through the records for two
              seconds and found {formatCount(records.length, 'record')} so far. There may be more.
            </Text>
            {next_cursor !== null && (
              <Button size="xs" variant="default" onClick={() => change({ cursor: next_cursor })}>
                Go on looking
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {search_lag !== null && search_lag > 0 && (
        <Group gap={6} mb="sm" role="status">
          <IconClock size={16} aria-hidden />
          <Text size="sm">
            {search_lag >= 10_000 ? 'More than 10,000' : formatNumber(search_lag)} changed{' '}
            {search_lag === 1 ? 'record is' : 'records are'} not in the search yet.
          </Text>
        </Group>
      )}
    </>
  )
}
