import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import type { PastVersion } from '../../../api/records.ts'
import { LocalTimeInput } from '../../../components/local-time-input.tsx'
import { formatTime } from '../../../lib/format.ts'

/** An input to view the record as of an earlier time. */
export function AsOf(props: {
  past: PastVersion
  /** The time of the change whose version is shown, as far as it is known. */
  changedAt: string | null
  onChange: (at: string | null) => void
}) {
  const { past, changedAt, onChange } = props
  const asOf = past && 'as_of' in past ? past.as_of : undefined
  const input = <LocalTimeInput label="View as of" value={asOf} onChange={onChange} />
  if (past === null) return input
  return (
    <Alert color="blue" variant="light" icon={<IconHistory />} role="status" w="100%">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          {asOf === undefined
            ? `This is the version after ${changedAt === null ? 'a change' : `the change of ${formatTime(changedAt, { seconds: true })}`}, not the current one.`
            : `This is the version of ${Number.isNaN(Date.parse(asOf)) ? asOf : formatTime(asOf)}, not the current one.`}
        </Text>
        {input}
        <Button size="xs" variant="default" onClick={() => onChange(null)}>
          Back to current version
        </Button>
      </Group>
    </Alert>
  )
}
