import { Anchor, ColorSwatch, Group, Paper, Stack, Text } from '@mantine/core'
import type { PlatformSummary, RecentPull } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { HEALTH_WORDS, type Health, healthOf } from '../platforms/platform-list.ts'
import { PullBars } from './pull-bars.tsx'

const ERROR_HEIGHT = 19

/** How one platform is doing. */
export function PlatformCard({
  platform,
  pulls,
}: {
  platform: PlatformSummary
  pulls: RecentPull[]
}) {
  const health = healthOf(platform)
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <ColorSwatch size={10} withShadow={false} color={COLORS[health]} aria-hidden />
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
            {HEALTH_WORDS[health]}
          </Text>
        </Group>
        <PullBars pulls={pulls} />
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            Latest sync: <Time at={platform.latest_sync_at} />
          </Text>
          <Text size="xs" c="dimmed">
            Last push: <Time at={platform.last_push_at} />
          </Text>
          <Text size="xs" c="dimmed">
            {formatCount(platform.records, 'record')}
          </Text>
        </Stack>
        {/* Always one line, so that the page does not move when a pull ends. */}
        <Text
          size="xs"
          c="var(--mantine-color-error)"
          h={ERROR_HEIGHT}
          truncate
          {...(platform.last_error ? { title: platform.last_error } : {})}
        >
          {platform.last_error}
        </Text>
      </Stack>
    </Paper>
  )
}

const COLORS: Readonly<Record<Health, string>> = {
  well: 'var(--mantine-color-green-6)',
  trouble: 'var(--mantine-color-red-6)',
  question: 'var(--mantine-color-yellow-6)',
  waiting: 'var(--mantine-color-blue-6)',
  off: 'var(--mantine-color-gray-6)',
}
