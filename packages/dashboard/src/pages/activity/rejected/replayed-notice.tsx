import { Alert, Anchor, Text } from '@mantine/core'
import type { RejectedPush, ReplayOutcome } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'

const WORDS: Readonly<Record<ReplayOutcome, string>> = {
  created: 'It is a new record.',
  updated: 'It changed the record.',
  unchanged: 'It changed nothing: the record was like that already.',
  stale: 'It changed nothing: something newer is stored.',
}

/** What came of it when it was replayed. */
export function ReplayedNotice({ rejected }: { rejected: RejectedPush }) {
  const { replayed_at, replayed_by, replay_outcome, record_id } = rejected
  return (
    <Alert color="green" variant="light" icon={<IconCheck />} title="Replayed">
      <Text size="sm">
        <Time at={replayed_at} /> by <OperatorName by={replayed_by} />.{' '}
        {replay_outcome && WORDS[replay_outcome]}
      </Text>
      {record_id !== null && <RecordLink id={record_id} />}
    </Alert>
  )
}

export function RecordLink({ id }: { id: number }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link to="/dashboard/records" search={{ record: String(id) }} {...props} />
      )}
    >
      Open record {id}
    </Anchor>
  )
}
