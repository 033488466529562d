import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { snapshot } from '../../api/live.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from './texts.tsx'

const SHOWN = 8

/** The latest log entries. */
export function LatestLogs() {
  const logs = useStore(snapshot)?.logs ?? null
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={TEXTS.latestActivity}>
      <Group justify="space-between" mb="sm">
        <Title order={2} fz="md">
          {TEXTS.latestActivity}
        </Title>
        <Anchor size="sm" component={Link} to="/dashboard/activity">
          {TEXTS.allActivity}
        </Anchor>
      </Group>
      {logs?.length === 0 && (
        <EmptyState title={TEXTS.noActivityYet}>{TEXTS.activityAppearsHere}</EmptyState>
      )}
      <Stack gap="xs" component="ul" p={0} m={0}>
        {logs === null && <Skeleton height={240} component="li" />}
        {logs?.slice(0, SHOWN).map((line) => (
          <Group key={line.id} component="li" wrap="nowrap" gap="sm" align="flex-start">
            <StatusBadge status={line.level} />
            <Text size="sm" flex={1} miw={0} lineClamp={2}>
              <MessageText message={line.message} />
            </Text>
            <Text size="xs" c="dimmed" flex="none">
              <Time at={line.at} seconds />
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
