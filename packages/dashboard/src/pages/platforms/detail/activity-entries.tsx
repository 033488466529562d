import { Group, Stack, Text } from '@mantine/core'
import type { ActivityEntry, PlatformDetails } from '@recordhub/protocol'
import { IconActivity } from '@tabler/icons-react'
import { useState } from 'react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatDay } from '../../../lib/format.ts'
import { TEXTS } from '../../../texts.ts'
import { foldRepeats, type LogRow, splitMessage } from '../../log/activity-rows.ts'
import { Event } from '../../log/log-parts.tsx'
import { Paged } from './paged.tsx'

/** Log entries: time, message and actor. Repeats of an event are one line, as in the log. */
export function ActivityEntries({ lines }: { lines: readonly ActivityEntry[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const now = Date.now()
  const rows = foldRepeats(lines, { dayOf: (at) => formatDay(at, now), opened })
  return (
    <Stack component="ul" gap="sm" m={0} p={0} aria-label={TEXTS.log}>
      {rows.map((row) => (
        <Line
          key={row.id}
          row={row}
          isOpen={opened.has(row.id)}
          onFold={() => setOpened(opened.symmetricDifference(new Set([row.id])))}
        />
      ))}
    </Stack>
  )
}

function Line(props: { row: LogRow; isOpen: boolean; onFold: () => void }) {
  const { entry, entries, isChild } = props.row
  const { at, level, actor, record_id } = entry
  return (
    <Stack component="li" gap={2} display="flex" pl={isChild ? 'lg' : 0}>
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
        <Event {...props} />{' '}
        {record_id !== null && entries.length === 1 && splitMessage(entry).link === null && (
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
