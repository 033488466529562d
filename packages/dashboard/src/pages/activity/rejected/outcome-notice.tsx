import { Alert, Code, List, Text } from '@mantine/core'
import type { Replay } from '@recordhub/protocol'
import { RecordLink } from './replayed-notice.tsx'

const TITLES: Readonly<Record<Replay['outcome'], string>> = {
  created: 'This would be a new record',
  updated: 'This would change the record',
  unchanged: 'This would change nothing: the record is like that already',
  stale: 'This would change nothing: something newer is stored',
  rejected: 'This would be refused again',
}
const COLORS: Readonly<Record<Replay['outcome'], string>> = {
  created: 'green',
  updated: 'green',
  unchanged: 'blue',
  stale: 'yellow',
  rejected: 'red',
}

/** What a trial found. */
export function OutcomeNotice({ replay }: { replay: Replay }) {
  const { outcome, message, errors, record_id } = replay
  return (
    <Alert color={COLORS[outcome]} variant="light" title={TITLES[outcome]} role="status">
      {outcome === 'rejected' && <Text size="sm">{message}</Text>}
      {Object.keys(errors).length > 0 && (
        <List size="sm">
          {Object.entries(errors).map(([name, problems]) => (
            <List.Item key={name}>
              <Code>{name}</Code> {problems.join('; ')}
            </List.Item>
          ))}
        </List>
      )}
      {record_id !== null && <RecordLink id={record_id} />}
    </Alert>
  )
}
