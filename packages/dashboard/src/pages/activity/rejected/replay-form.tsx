import { Button, Checkbox, Group, JsonInput, Stack, Text, Tooltip } from '@mantine/core'
import type { RejectedPush, Replay } from '@recordhub/protocol'
import { IconFlask, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub, HubCallError } from '../../../api/call-hub.ts'
import { attempt, tell } from '../../../components/confirm.tsx'
import { writeExact } from '../../../lib/exact-json.ts'
import { readMended } from './mended-body.ts'
import { OutcomeNotice } from './outcome-notice.tsx'
import { useRereadRejected } from './use-rejected.ts'

type Tried = { text: string; overwrite: boolean; replay: Replay }

/** The body to be mended, tried, and replayed once the trial went well. */
export function ReplayForm({ rejected }: { rejected: RejectedPush }) {
  const original = writeExact(rejected.body)
  const [text, setText] = useState(original)
  const [overwrite, setOverwrite] = useState(false)
  const [tried, setTried] = useState<Tried | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const reread = useRereadRejected()
  const mended = readMended(text, original)
  const isTried = tried !== null && tried.text === text && tried.overwrite === overwrite
  const mayReplay = isTried && tried.replay.outcome !== 'rejected'

  async function send(isDryRun: boolean): Promise<Replay> {
    const { replay } = await callHub<{ replay: Replay }>(
      `/api/v1/rejected-pushes/${rejected.id}/replay`,
      {
        method: 'POST',
        json: writeExact({ ...mended.body, overwrite, dry_run: isDryRun }, ''),
      },
    )
    return replay
  }
  async function act(work: () => Promise<void>) {
    setIsBusy(true)
    await attempt(work)
    setIsBusy(false)
  }
  const tryIt = () => act(async () => setTried({ text, overwrite, replay: await send(true) }))
  const replayIt = () =>
    act(async () => {
      try {
        await send(false)
        tell('Replayed')
      } catch (error) {
        // Somebody was quicker, or it is refused now: what stands here is out of date.
        if (error instanceof HubCallError) setTried(null)
        throw error
      } finally {
        await reread()
      }
    })
  return (
    <Stack gap="xs">
      <JsonInput
        aria-label="Body to replay"
        autosize
        minRows={6}
        maxRows={22}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        value={text}
        onChange={setText}
        error={mended.fault}
      />
      {isTried && <OutcomeNotice replay={tried.replay} />}
      {(tried?.replay.outcome === 'stale' || overwrite) && (
        <Checkbox
          checked={overwrite}
          onChange={({ currentTarget }) => setOverwrite(currentTarget.checked)}
          label="Write it over what is newer"
          description="As if it came now. What it replaces stays in the record's history."
        />
      )}
      <Group justify="space-between">
        <Group gap="xs">
          <Button
            leftSection={<IconFlask size={16} />}
            variant={mayReplay ? 'default' : 'filled'}
            disabled={mended.fault !== null}
            loading={isBusy}
            onClick={() => void tryIt()}
          >
            Try it
          </Button>
          <Tooltip label="Try it first" disabled={mayReplay}>
            <Button
              leftSection={<IconPlayerPlay size={16} />}
              variant={mayReplay ? 'filled' : 'default'}
              {...(mayReplay ? {} : { 'data-disabled': true })}
              aria-disabled={!mayReplay}
              loading={isBusy}
              onClick={() => mayReplay && void replayIt()}
            >
              Replay
            </Button>
          </Tooltip>
        </Group>
        {text !== original && (
          <Button variant="subtle" size="xs" onClick={() => setText(original)}>
            Undo all changes
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        A trial writes nothing. Replay stores the record where it would have stood when it came.
      </Text>
    </Stack>
  )
}
