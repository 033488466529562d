import { Anchor, Badge, Button, Card, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { Change, Field, HistoryEntry } from '@recordhub/protocol'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recordHistoryQuery, type ShownRecord } from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Time } from '../../../components/time.tsx'
import { ValueView } from '../../../components/value-view.tsx'
import { TEXTS } from '../texts.tsx'
import { labelOfPath, sourceLabel } from './record-fields.ts'

/** The changes of a record up to the shown version, newest first, with the values before and after. */
export function HistoryTab({
  record,
  changeSeq,
  manifest,
  onViewVersion,
}: {
  record: ShownRecord
  /** Undefined for an earlier version, with which all changes are listed. */
  changeSeq: number | undefined
  manifest: readonly Field[]
  onViewVersion: (changeSeq: number) => void
}) {
  const history = useInfiniteQuery(recordHistoryQuery(String(record.record_id), changeSeq))
  const error = errorInPlaceOfData(history)
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void history.refetch()} />
  }
  if (!history.data) return <Skeleton height={160} aria-label={TEXTS.loading} />
  const entries = history.data.pages.flatMap((page) => page.history)
  return (
    <Stack gap="sm">
      {entries.map((entry) => (
        <Entry
          key={entry.change_seq}
          entry={entry}
          manifest={manifest}
          onViewVersion={onViewVersion}
        />
      ))}
      {history.hasNextPage ? (
        <Button
          variant="default"
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {TEXTS.showOlderChanges}
        </Button>
      ) : (
        <Text size="sm" c="dimmed" component="div">
          {entries.length === 0 ? TEXTS.noChangesSinceReceived : TEXTS.received}{' '}
          <Time at={record.created_at} seconds />
        </Text>
      )}
    </Stack>
  )
}

function Entry({
  entry,
  manifest,
  onViewVersion,
}: {
  entry: HistoryEntry
  manifest: readonly Field[]
  onViewVersion: (changeSeq: number) => void
}) {
  const { change_seq, at, source, pull_id, request_id, changes } = entry
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Text size="sm" fw={600} component="div">
            <Time at={at} seconds />
          </Text>
          <Badge variant="light" tt="none">
            {sourceLabel(source)}
          </Badge>
          {pull_id !== null && (
            <Anchor
              fz="xs"
              renderRoot={(props) => (
                <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
              )}
            >
              {TEXTS.sourcePull(pull_id)}
            </Anchor>
          )}
        </Group>
        <Button size="compact-xs" variant="subtle" onClick={() => onViewVersion(change_seq)}>
          {TEXTS.viewThisVersion}
        </Button>
      </Group>
      {request_id !== null && (
        <Text size="xs" c="dimmed" mb="xs">
          {TEXTS.requestId(request_id)}
        </Text>
      )}
      <Table layout="fixed" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">{TEXTS.field}</Table.Th>
            <Table.Th>{TEXTS.before}</Table.Th>
            <Table.Th>{TEXTS.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((change) => (
            <ChangeRow key={change.path} change={change} manifest={manifest} />
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}

function ChangeRow({ change, manifest }: { change: Change; manifest: readonly Field[] }) {
  const { label } = labelOfPath(change.path, manifest)
  return (
    <Table.Tr>
      <Table.Td valign="top">
        <Text size="sm" fw={600}>
          {label}
        </Text>
      </Table.Td>
      <Table.Td valign="top">
        <ValueView value={change.before} />
      </Table.Td>
      <Table.Td valign="top">
        <ValueView value={change.after} />
      </Table.Td>
    </Table.Tr>
  )
}
