import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTitles } from '../../api/platforms.ts'
import { formatCount } from '../../lib/format.ts'
import { totalLabel } from '../records/list-footer.tsx'
import { Lane } from './lane.tsx'
import type { HubLine } from './search-lanes.ts'
import { ShowMore } from './show-more.tsx'
import { TEXTS } from './texts.ts'

/** The results from the hub. */
export function HubLane({
  query,
  line,
  isFinished,
}: {
  query: string
  line: HubLine | null
  isFinished: boolean
}) {
  const titles = useTitles()
  const title = TEXTS.inTheHub
  if (line === null) {
    return isFinished ? (
      <Lane title={title} state={TEXTS.noResponse} color="gray" />
    ) : (
      <Lane title={title} state={TEXTS.searching} color="blue" isSearching>
        <Skeleton height={80} />
      </Lane>
    )
  }
  if (line.error) {
    return (
      <Lane title={title} state={TEXTS.failed} color="red">
        <Text size="sm">{line.error.message}</Text>
      </Lane>
    )
  }
  const { records, search_lag } = line
  const state =
    records.length === 0
      ? line.complete
        ? TEXTS.noResults
        : TEXTS.noResultsSoFar
      : `${totalLabel(line)} found`
  const all = (
    <Anchor
      fz="sm"
      renderRoot={(props) => <Link to="/dashboard/records" search={{ q: query }} {...props} />}
    >
      {TEXTS.openInRecords}
    </Anchor>
  )
  return (
    <Lane title={title} state={state} color={records.length > 0 ? 'green' : 'gray'} aside={all}>
      <Stack gap={6}>
        <ShowMore items={records}>
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
        </ShowMore>
        {search_lag !== null && search_lag > 0 && (
          <Text size="sm" c="dimmed">
            {TEXTS.notSearchableYet(
              formatCount(search_lag, 'updated record is', 'updated records are'),
            )}
          </Text>
        )}
      </Stack>
    </Lane>
  )
}
