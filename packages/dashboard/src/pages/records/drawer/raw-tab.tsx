import { Anchor, Code, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { recordPath, type ShownRecord } from '../../../api/records.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { writeExact } from '../../../lib/exact-json.ts'
import { formatBytes } from '../../../lib/format.ts'

const MOST_SHOWN = 100_000

/** The record as the API gives it, each number with its own digits. */
export function RawTab({ record, asOf }: { record: ShownRecord; asOf: string | undefined }) {
  const text = writeExact(record)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <CopyButton value={text} label="Copy the JSON" words="Copy JSON" />
        <Anchor href={recordPath(String(record.record_id), asOf)} target="_blank" fz="sm">
          Open the API's answer
        </Anchor>
      </Group>
      <ScrollArea.Autosize
        mah="65dvh"
        viewportProps={{ tabIndex: 0, 'aria-label': 'JSON of the record' }}
      >
        <Code block>{text.slice(0, MOST_SHOWN)}</Code>
      </ScrollArea.Autosize>
      {text.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          This is the beginning of {formatBytes(text.length)}; what is copied is the whole.
        </Text>
      )}
    </Stack>
  )
}
