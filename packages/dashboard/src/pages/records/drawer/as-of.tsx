import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { formatTime } from '../../../lib/format.ts'
import { fromLocalInput, toLocalInput } from '../filters.ts'

/** Lets somebody look at the record as it was at a moment. */
export function AsOf({
  asOf,
  onChange,
}: {
  asOf: string | undefined
  onChange: (at: string | null) => void
}) {
  const input = (
    <TextInput
      type="datetime-local"
      size="xs"
      label="As it was at"
      key={asOf ?? ''}
      defaultValue={asOf === undefined ? '' : toLocalInput(asOf)}
      onChange={(event) => onChange(fromLocalInput(event.currentTarget.value) || null)}
    />
  )
  if (asOf === undefined) return input
  return (
    <Alert color="blue" variant="light" icon={<IconHistory />} role="status" w="100%">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          This is the record as it was at {isTime(asOf) ? formatTime(asOf) : asOf}, not as it is
          now.
        </Text>
        {input}
        <Button size="xs" variant="default" onClick={() => onChange(null)}>
          Show it as it is
        </Button>
      </Group>
    </Alert>
  )
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}
