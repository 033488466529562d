import { Code, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { ShownRecord } from '../../../api/records.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { writeLossless } from '../../../lib/lossless-json.ts'

const MAX_SHOWN = 100_000

/** The record as JSON, as returned by the API; numbers keep their digits. */
export function JsonTab({ record }: { record: ShownRecord }) {
  const text = writeLossless(record)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <CopyButton value={text} label="Copy JSON" text="Copy JSON" />
      </Group>
      <ScrollArea.Autosize
        mah="65dvh"
        viewportProps={{ tabIndex: 0, 'aria-label': 'JSON of the record' }}
      >
        <Code block>{text.slice(0, MAX_SHOWN)}</Code>
      </ScrollArea.Autosize>
      {text.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          Only the first part of {formatBytes(text.length)} is shown. “Copy JSON” copies everything.
        </Text>
      )}
    </Stack>
  )
}
