import { Button, Group } from '@mantine/core'
import type { ActivityEntry } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { TEXTS } from '../texts.tsx'

/** Links of a log entry: its record, its pull, the rejected record, similar entries. */
export function EntryLinks({ entry }: { entry: ActivityEntry }) {
  const pullId = numberOf(entry.details['pull_id'])
  const rejectedId = numberOf(entry.details['rejected_push_id'])
  const platform = entry.platform_name ?? ''
  return (
    <Group gap="xs">
      {entry.record_id !== null && (
        <Button
          size="xs"
          variant="light"
          renderRoot={(props) => (
            <Link to="/dashboard/records" search={{ record: String(entry.record_id) }} {...props} />
          )}
        >
          {TEXTS.recordLink(entry.record_id)}
        </Button>
      )}
      {pullId !== null && (
        <Button
          size="xs"
          variant="light"
          renderRoot={(props) => (
            <Link to="/dashboard/pulls/$id" params={{ id: String(pullId) }} {...props} />
          )}
        >
          {TEXTS.pullLink(pullId)}
        </Button>
      )}
      {rejectedId !== null && (
        <ActivityLink
          search={{ tab: 'rejected', rejected: String(rejectedId) }}
          text={TEXTS.rejectedRecord}
        />
      )}
      {entry.kind === 'push.rejected' && (
        <ActivityLink search={{ tab: 'rejected', platform }} text={TEXTS.rejectedPushesPlatform} />
      )}
      {entry.record_id !== null && (
        <ActivityLink search={{ record: String(entry.record_id) }} text={TEXTS.allEntriesRecord} />
      )}
      <ActivityLink search={{ kind: entry.kind }} text={TEXTS.similarEntries} />
    </Group>
  )
}

function ActivityLink({ search, text }: { search: Record<string, string>; text: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => <Link to="/dashboard/activity" search={search} {...props} />}
    >
      {text}
    </Button>
  )
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
