import { Group, Stack, Text } from '@mantine/core'
import type { ActivityEntry, PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../../../texts.ts'
import { Paged } from './paged.tsx'

/** Log entries: time, message and actor. */
export function ActivityEntries({ lines }: { lines: readonly ActivityEntry[] }) {
  return (
    <Stack component="ul" gap="sm" m={0} p={0} aria-label={TEXTS.log}>
      {lines.map(({ id, at, level, message, actor, record_id }) => (
        <Stack key={id} component="li" gap={2} display="flex">
          <Group gap="xs">
            <Text size="xs" c="dimmed" component="div">
              <Time at={at} seconds />
            </Text>
            {level !== 'info' && <StatusBadge status={level} />}
            {actor && (
              <Text size="xs" c="dimmed">
                by <OperatorName by={actor} />
              </Text>
            )}
          </Group>
          <Text size="sm">
            <MessageText message={message} />{' '}
            {record_id !== null && (
              <PageLink
                to="/dashboard/records"
                search={{ record: String(record_id) }}
                size="sm"
                underline="always"
              >
                {`Record ${record_id}`}
              </PageLink>
            )}
          </Text>
        </Stack>
      ))}
    </Stack>
  )
}

/** The log of this platform. */
export function ActivityTab({ platform: { platform_name } }: { platform: PlatformDetails }) {
  return (
    <Paged
      query={platformActivityQuery({ platform: platform_name })}
      empty={
        <EmptyState icon={<IconActivity />} title="No activity yet">
          Pushes, pulls and changes by operators appear here.
        </EmptyState>
      }
    >
      {(lines) => <ActivityEntries lines={lines} />}
    </Paged>
  )
}
