import { Code, Group, ScrollArea, SegmentedControl, Stack, Title } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { useState } from 'react'
import { mayActAs, session } from '../../../api/session.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { writeExact } from '../../../lib/exact-json.ts'
import { useStore } from '../../../lib/use-store.ts'
import { ReplayForm } from './replay-form.tsx'

/** The body as it came, to be read or mended. */
export function RejectedBody({ rejected }: { rejected: RejectedPush }) {
  const { operator } = useStore(session)
  const mayReplay = mayActAs(operator?.role, 'operator')
  const [view, setView] = useState(mayReplay && rejected.replayed_at === null ? 'mend' : 'pretty')
  const text = writeExact(rejected.body, view === 'raw' ? '' : '  ')
  const views = [
    ...(mayReplay ? [{ value: 'mend', label: 'Mend and replay' }] : []),
    { value: 'pretty', label: 'Pretty' },
    { value: 'raw', label: 'Raw' },
  ]
  return (
    <section aria-labelledby="rejected-body">
      <Group justify="space-between" mb={4}>
        <Title order={3} fz="sm" id="rejected-body">
          Body
        </Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="How the body is shown"
            data={views}
            value={view}
            onChange={setView}
          />
          <CopyButton value={text} label="Copy the body" />
        </Group>
      </Group>
      {view === 'mend' ? (
        <ReplayForm rejected={rejected} />
      ) : (
        <Stack gap={4}>
          <ScrollArea.Autosize
            mah={420}
            type="auto"
            viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Body' }}
          >
            <Code block>{text}</Code>
          </ScrollArea.Autosize>
        </Stack>
      )}
    </section>
  )
}
