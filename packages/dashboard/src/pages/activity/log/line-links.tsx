import { Button, Group } from '@mantine/core'
import type { ActivityLine } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'

/** Where a line leads: its record, its pull, what was refused, others like it. */
export function LineLinks({ line }: { line: ActivityLine }) {
  const pullId = numberOf(line.details['pull_id'])
  const rejectedId = numberOf(line.details['rejected_push_id'])
  const platform = line.platform_name ?? ''
  return (
    <Group gap="xs">
      {line.record_id !== null && (
        <Button
          size="xs"
          variant="light"
          renderRoot={(props) => (
            <Link to="/dashboard/records" search={{ record: String(line.record_id) }} {...props} />
          )}
        >
          Record {line.record_id}
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
          Pull {pullId}
        </Button>
      )}
      {rejectedId !== null && (
        <ActivityLink
          search={{ tab: 'rejected', rejected: String(rejectedId) }}
          words="What was refused"
        />
      )}
      {line.kind === 'push.rejected' && (
        <ActivityLink
          search={{ tab: 'rejected', platform }}
          words="What this platform had refused"
        />
      )}
      {line.record_id !== null && (
        <ActivityLink
          search={{ record: String(line.record_id) }}
          words="All lines of this record"
        />
      )}
      <ActivityLink search={{ kind: line.kind }} words="Lines of this kind" />
    </Group>
  )
}

function ActivityLink({ search, words }: { search: Record<string, string>; words: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => <Link to="/dashboard/activity" search={search} {...props} />}
    >
      {words}
    </Button>
  )
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
