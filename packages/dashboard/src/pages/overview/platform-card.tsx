import { Anchor, ColorSwatch, Group, Paper, Stack, Text } from '@mantine/core'
import type { PlatformSummary, RecentPull } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { MessageText } from '../../components/message-text.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { HEALTH_LABELS, type Health } from '../platforms/platform-list.ts'
import { PullBars } from './pull-bars.tsx'
import { TEXTS } from './texts.tsx'

const REASON_HEIGHT = 19

/** The state of one platform. */
export function PlatformCard({
  platform,
  pulls,
}: {
  platform: PlatformSummary
  pulls: RecentPull[]
}) {
  const { state, reasons } = platform.health
  const reason = reasons[0]?.message ?? ''
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <ColorSwatch size={10} withShadow={false} color={COLORS[state]} aria-hidden />
            <Anchor
              size="sm"
              fw={600}
              truncate
              renderRoot={(props) => (
                <Link
                  to="/dashboard/platforms/$id"
                  params={{ id: String(platform.id) }}
                  {...props}
                />
              )}
            >
              {platform.display_title}
            </Anchor>
          </Group>
          <Text size="xs" c="dimmed" flex="none">
            {HEALTH_LABELS[state]}
          </Text>
        </Group>
        <PullBars pulls={pulls} />
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            {TEXTS.latestSyncAt(<Time at={platform.latest_sync_at} />)}
          </Text>
          <Text size="xs" c="dimmed">
            {TEXTS.lastPushAt(<Time at={platform.last_push_at} />)}
          </Text>
          <Text size="xs" c="dimmed">
            {formatCount(platform.records, 'record')}
          </Text>
        </Stack>
        {/* Always one line, so that the layout does not shift when a pull ends. */}
        <Text
          size="xs"
          c={state === 'failing' ? 'var(--mantine-color-error)' : 'dimmed'}
          h={REASON_HEIGHT}
          truncate
          title={reason}
        >
          <MessageText message={reason} />
        </Text>
      </Stack>
    </Paper>
  )
}

const COLORS: Readonly<Record<Health, string>> = {
  healthy: 'var(--mantine-color-green-6)',
  failing: 'var(--mantine-color-red-6)',
  needs_attention: 'var(--mantine-color-yellow-6)',
  new: 'var(--mantine-color-blue-6)',
  inactive: 'var(--mantine-color-gray-6)',
}
