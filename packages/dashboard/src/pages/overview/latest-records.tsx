import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { snapshot } from '../../api/live.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Time } from '../../components/time.tsx'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from './texts.tsx'

const SHOWN = 8

/** The most recently updated records. */
export function LatestRecords() {
  const current = useStore(snapshot)
  const records = current?.records ?? null
  const titles = new Map(current?.platforms.map((one) => [one.platform_name, one.display_title]))
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={TEXTS.latestRecords}>
      <Group justify="space-between" mb="sm">
        <Title order={2} fz="md">
          {TEXTS.latestRecords}
        </Title>
        <Anchor size="sm" component={Link} to="/dashboard/records">
          {TEXTS.allRecords}
        </Anchor>
      </Group>
      {records?.length === 0 && (
        <EmptyState title={TEXTS.noRecordsYet}>{TEXTS.noRecordsYetHint}</EmptyState>
      )}
      <Stack gap="xs" component="ul" p={0} m={0}>
        {records === null && <Skeleton height={240} component="li" />}
        {records?.slice(0, SHOWN).map((record) => (
          <Group
            key={record.record_id}
            component="li"
            justify="space-between"
            wrap="nowrap"
            gap="sm"
          >
            <Stack gap={0} miw={0}>
              <Anchor
                size="sm"
                truncate
                renderRoot={(props) => (
                  <Link
                    to="/dashboard/records"
                    search={{ record: String(record.record_id) }}
                    {...props}
                  />
                )}
              >
                {record.full_name || record.reference_number}
              </Anchor>
              <Text size="xs" c="dimmed" truncate>
                {`${record.reference_number} · ${record.module_name} · ${titles.get(record.platform_name) ?? record.platform_name}`}
              </Text>
            </Stack>
            <Text size="xs" c="dimmed" flex="none">
              <Time at={record.updated_at} seconds />
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
