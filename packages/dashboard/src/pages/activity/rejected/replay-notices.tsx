import { Alert, Code, List, Text } from '@mantine/core'
import type { RejectedPush, Replay, ReplayOutcome } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../../../texts.ts'

const OUTCOME_LABELS: Readonly<Record<ReplayOutcome, string>> = {
  created: 'Created a new record.',
  updated: 'Updated the record.',
  unchanged: 'Changed nothing: the record already had these values.',
  stale: 'Changed nothing: a newer version is stored.',
}

/** What is wrong with each member of a body. */
export function FieldErrors({ errors }: Pick<RejectedPush, 'errors'>) {
  const named = Object.entries(errors)
  if (named.length === 0) return null
  return (
    <List size="sm">
      {named.map(([name, problems]) => (
        <List.Item key={name}>
          <Code>{name}</Code> {problems.join('; ')}
        </List.Item>
      ))}
    </List>
  )
}

/** The outcome of a replay. */
export function ReplayedNotice({ rejected }: { rejected: RejectedPush }) {
  const { replayed_at, replayed_by, replay_outcome, record_id } = rejected
  return (
    <Alert color="green" icon={<IconCheck />} title={TEXTS.replayed}>
      <Text size="sm">
        <Time at={replayed_at} /> by <OperatorName by={replayed_by} />.{' '}
        {replay_outcome && OUTCOME_LABELS[replay_outcome]}
      </Text>
      {record_id !== null && <RecordLink id={record_id} />}
    </Alert>
  )
}

/** By whom the group of a rejected record was accepted as exceptions, with a link to the group. */
export function AcceptedNotice({ rejected }: { rejected: RejectedPush }) {
  const { platform_name: platform, cause, accepted_at, accepted_by } = rejected
  return (
    <Alert color="green" icon={<IconCheck />} title={TEXTS.acceptedException}>
      <Text size="sm">
        Accepted as exceptions by <OperatorName by={accepted_by} />, <Time at={accepted_at} />,
        until they change
      </Text>
      <PageLink size="sm" to="/dashboard/inbox" search={{ tab: 'rejected', platform, cause }}>
        Show the group
      </PageLink>
    </Alert>
  )
}

function RecordLink({ id }: { id: number }) {
  return (
    <PageLink size="sm" to="/dashboard/records" search={{ record: String(id) }}>
      {`Open record ${id}`}
    </PageLink>
  )
}

const RESULTS: Readonly<Record<Replay['outcome'], { title: string; color: string }>> = {
  created: { title: 'Would create a new record', color: 'green' },
  updated: { title: 'Would update the record', color: 'green' },
  unchanged: {
    title: 'Would change nothing: the record already has these values',
    color: 'blue',
  },
  stale: { title: 'Would change nothing: a newer version is stored', color: 'yellow' },
  rejected: { title: 'Would be rejected again', color: 'red' },
}

/** The result of a test replay. */
export function OutcomeNotice({ replay }: { replay: Replay }) {
  const { outcome, message, errors, record_id } = replay
  return (
    <Alert {...RESULTS[outcome]} role="status">
      {outcome === 'rejected' && <Text size="sm">{message}</Text>}
      <FieldErrors errors={errors} />
      {record_id !== null && <RecordLink id={record_id} />}
    </Alert>
  )
}
