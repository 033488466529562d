import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTitles } from '../../api/platforms.ts'
import { formatCount } from '../../lib/format.ts'
import { wordsOfTotal } from '../records/list-footer.tsx'
import { FirstFew } from './first-few.tsx'
import { Lane } from './lane.tsx'
import type { HubLine } from './search-lanes.ts'

/** What the hub itself has. */
export function HubLane({
  query,
  line,
  isOver,
}: {
  query: string
  line: HubLine | null
  isOver: boolean
}) {
  const titles = useTitles()
  const title = 'In the hub'
  if (line === null) {
    return isOver ? (
      <Lane title={title} state="no answer" color="gray" />
    ) : (
      <Lane title={title} state="searching" color="blue" isSearching>
        <Skeleton height={80} />
      </Lane>
    )
  }
  if (line.error) {
    return (
      <Lane title={title} state="failed" color="red">
        <Text size="sm">{line.error.message}</Text>
      </Lane>
    )
  }
  const { records, search_lag } = line
  const state =
    records.length === 0
      ? line.complete
        ? 'nothing found'
        : 'nothing found so far'
      : `${wordsOfTotal(line)} found`
  const all = (
    <Anchor
      fz="sm"
      renderRoot={(props) => <Link to="/dashboard/records" search={{ q: query }} {...props} />}
    >
      Open in Records
    </Anchor>
  )
  return (
    <Lane title={title} state={state} color={records.length > 0 ? 'green' : 'gray'} aside={all}>
      <Stack gap={6}>
        <FirstFew items={records}>
          {(shown) =>
            shown.map((record) => (
              <Group key={record.record_id} gap="sm" wrap="wrap">
                <Anchor
                  fz="sm"
                  fw={600}
                  renderRoot={(props) => (
                    <Link
                      to="/dashboard/records"
                      search={{ q: query, record: String(record.record_id) }}
                      {...props}
                    />
                  )}
                >
                  {record.full_name || record.reference_number}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {record.reference_number} · {record.module_name} ·{' '}
                  {titles.ofPlatform(record.platform_name)}
                </Text>
              </Group>
            ))
          }
        </FirstFew>
        {search_lag !== null && search_lag > 0 && (
          <Text size="sm" c="dimmed">
            {formatCount(search_lag, 'changed record is', 'changed records are')} not in the search
            yet.
          </Text>
        )}
      </Stack>
    </Lane>
  )
}
