import { Alert, Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { ActivityEntry } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { activityEntryQuery } from '../../api/activity.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { SideDrawer } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PlatformLink } from '../../components/platform-link.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { ValueView } from '../../components/value-view.tsx'
import { formatCode } from '../../lib/format.ts'
import { numberIn, useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { causeOf } from './activity-rows.ts'

/** The details of a log entry, with related links. A link may refer to one that is not on the page. */
export function EntryDrawer({ shown }: { shown: ActivityEntry[] }) {
  const [state, change] = useUrlState()
  const id = numberIn(state['line'])
  const ofPage = shown.find((entry) => entry.id === id)
  const { data, error } = useQuery({
    ...activityEntryQuery(id ?? 0),
    enabled: id !== null && !ofPage,
  })
  const entry = ofPage ?? data?.activity.find((one) => one.id === id)
  return (
    <SideDrawer
      opened={id !== null}
      onClose={() => change({ line: null })}
      size="lg"
      title="Log entry"
    >
      {entry && <Entry entry={entry} />}
      {!entry && error && <ErrorNotice error={error} />}
      {!entry && data && (
        <Alert color="gray" title="Log entry not found">
          Log entries are deleted after the retention period, which is shown in the settings.
        </Alert>
      )}
      {!entry && !error && !data && <Skeleton height={200} />}
    </SideDrawer>
  )
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { level, at, kind, platform_name, details } = entry
  const row = (name: string, value: ReactNode) => (
    <Table.Tr key={name}>
      <Table.Th w={150}>{name}</Table.Th>
      <Table.Td>{value}</Table.Td>
    </Table.Tr>
  )
  return (
    <Stack>
      <Text fw={600}>
        <MessageText message={entry.message} />
      </Text>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {row('Level', level === 'info' ? 'Info' : <StatusBadge status={level} />)}
          {row('Time', <Time at={at} seconds />)}
          {row('Kind', kind)}
          {row('Actor', <Actor entry={entry} />)}
          {platform_name !== null && row('Platform', <PlatformLink name={platform_name} />)}
          {Object.entries(details).map(([name, value]) =>
            row(formatCode(name), <ValueView value={value} />),
          )}
        </Table.Tbody>
      </Table>
      <EntryLinks entry={entry} />
      <Group>
        <CopyButton value={JSON.stringify(entry, null, 2)} label={COPY} text={COPY} />
      </Group>
    </Stack>
  )
}

const COPY = 'Copy as JSON'

/** Who caused an entry: an operator, a program, the platform or the schedule. */
export function Actor({ entry }: { entry: ActivityEntry }) {
  return entry.actor === null ? (causeOf(entry) ?? '—') : <OperatorName by={entry.actor} />
}

/** Links of a log entry: its record, its pull, the rejected record, similar entries. */
function EntryLinks({ entry }: { entry: ActivityEntry }) {
  const { record_id, kind, details } = entry
  const canOperate = useHasRole('operator')
  const platform = entry.platform_name ?? ''
  const rejected = numberOf(details['rejected_push_id'])
  const pull = numberOf(details['pull_id'])
  const revert = numberOf(details['revert_id'])
  const record = record_id === null ? null : String(record_id)
  const links: (false | [text: string, to: string, search: Record<string, string>])[] = [
    record !== null && [`Record ${record}`, '/dashboard/records', { record }],
    pull !== null && [`Pull ${pull}`, `/dashboard/pulls/${pull}`, {}],
    revert !== null && canOperate && [`Revert ${revert}`, `/dashboard/reverts/${revert}`, {}],
    rejected !== null && ['Rejected record', '/dashboard/inbox', { tab: 'rejected', rejected }],
    kind === 'push.rejected' && [
      ...(['Rejected pushes of this platform', '/dashboard/inbox'] as const),
      { tab: 'rejected', platform },
    ],
    record !== null && ['All entries of this record', '/dashboard/log', { record }],
    ['Similar entries', '/dashboard/log', { kind }],
  ]
  return (
    <Group gap="xs">
      {links
        .filter((link) => link !== false)
        .map(([text, to, search]) => (
          <Button
            key={text}
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to={to} search={search} {...props} />}
          >
            {text}
          </Button>
        ))}
    </Group>
  )
}

function numberOf(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : null
}
