import { Code, Group, ScrollArea, SegmentedControl, Stack, Title } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { useState } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'
import { ReplayForm } from './replay-form.tsx'

/** The body of a rejected push, to read, or to edit and replay. */
export function RejectedBody({ rejected }: { rejected: RejectedPush }) {
  const canReplay = useHasRole('operator')
  const [view, setView] = useState(canReplay && rejected.replayed_at === null ? 'edit' : 'pretty')
  const text = writeLossless(rejected.body, view === 'raw' ? '' : '  ')
  const views = [
    ...(canReplay ? [{ value: 'edit', label: TEXTS.fixAndReplay }] : []),
    { value: 'pretty', label: TEXTS.pretty },
    { value: 'raw', label: TEXTS.raw },
  ]
  return (
    <section aria-labelledby="rejected-body">
      <Group justify="space-between" mb={4}>
        <Title order={3} fz="sm" id="rejected-body">
          {TEXTS.body}
        </Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={TEXTS.bodyView}
            data={views}
            value={view}
            onChange={setView}
          />
          <CopyButton value={text} label={TEXTS.copyBody} />
        </Group>
      </Group>
      {view === 'edit' ? (
        <ReplayForm rejected={rejected} />
      ) : (
        <Stack gap={4}>
          <ScrollArea.Autosize
            mah={420}
            type="auto"
            viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': TEXTS.body }}
          >
            <Code block>{text}</Code>
          </ScrollArea.Autosize>
        </Stack>
      )}
    </section>
  )
}
