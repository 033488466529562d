import { Anchor, ColorSwatch, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import type { PlatformPull, PlatformSummary } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { PullBars } from './pull-bars.tsx'

/** How one platform is doing. */
export function PlatformCard({
  platform,
  pulls,
}: {
  platform: PlatformSummary
  /** Null while they are not known. */
  pulls: PlatformPull[] | null
}) {
  const { color, word } = healthOf(platform)
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <ColorSwatch size={10} withShadow={false} color={color} aria-hidden />
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
            {word}
          </Text>
        </Group>
        {pulls ? <PullBars pulls={pulls} /> : <Skeleton height={22} />}
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
        {platform.last_error && (
          <Text size="xs" c="var(--mantine-color-error)" lineClamp={2} title={platform.last_error}>
            {platform.last_error}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function healthOf({ status, last_error }: PlatformSummary): { color: string; word: string } {
  if (status === 'inactive') return { color: 'var(--mantine-color-gray-6)', word: 'Inactive' }
  return last_error
    ? { color: 'var(--mantine-color-red-6)', word: 'In trouble' }
    : { color: 'var(--mantine-color-green-6)', word: 'Active' }
}
