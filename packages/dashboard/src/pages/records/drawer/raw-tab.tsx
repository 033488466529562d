import { Anchor, Code, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { type PastVersion, recordPath, type ShownRecord } from '../../../api/records.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { TEXTS } from '../texts.tsx'

const MAX_SHOWN = 100_000

/** The record as JSON, as returned by the API; numbers keep their digits. */
export function RawTab({ record, past }: { record: ShownRecord; past: PastVersion }) {
  const text = writeLossless(record)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <CopyButton value={text} label={TEXTS.copyJson} text={TEXTS.copyJson} />
        <Anchor href={recordPath(String(record.record_id), past)} target="_blank" fz="sm">
          {TEXTS.openApi}
        </Anchor>
      </Group>
      <ScrollArea.Autosize
        mah="65dvh"
        viewportProps={{ tabIndex: 0, 'aria-label': TEXTS.jsonRecord }}
      >
        <Code block>{text.slice(0, MAX_SHOWN)}</Code>
      </ScrollArea.Autosize>
      {text.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          {TEXTS.onlyFirstPartShown(formatBytes(text.length))}
        </Text>
      )}
    </Stack>
  )
}
