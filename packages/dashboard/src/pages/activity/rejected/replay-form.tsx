import { Button, Checkbox, Group, JsonInput, Stack, Text, Tooltip } from '@mantine/core'
import type { RejectedPush, Replay } from '@recordhub/protocol'
import { IconFlask, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, HubCallError } from '../../../api/call-hub.ts'
import { rejectedPushGroupsQuery, useRefreshRejected } from '../../../api/rejected-pushes.ts'
import { notify, useAttempt } from '../../../components/confirm.tsx'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { changesBetween } from '../../inbox/repair-changes.ts'
import { useShowRecords } from '../../inbox/replay-group.ts'
import { parseEditedBody } from './edited-body.ts'
import { OutcomeNotice } from './replay-notices.tsx'

type TestResult = { text: string; overwrite: boolean; replay: Replay }

/** A form to edit the body, test it, and replay it after a successful test. */
export function ReplayForm({ rejected }: { rejected: RejectedPush }) {
  const original = writeLossless(rejected.body)
  const [text, setText] = useState(original)
  const [overwrite, setOverwrite] = useState(false)
  const [result, setResult] = useState<TestResult | null>(null)
  const { isBusy, run } = useAttempt()
  const refresh = useRefreshRejected()
  const { showRecord } = useShowRecords()
  const edited = parseEditedBody(text, original)
  const isTested = result !== null && result.text === text && result.overwrite === overwrite
  const canReplay = isTested && result.replay.outcome !== 'rejected'

  async function send(isDryRun: boolean): Promise<Replay> {
    const { replay } = await callHub<{ replay: Replay }>(
      `/api/v1/rejected-pushes/${rejected.id}/replay`,
      {
        method: 'POST',
        json: writeLossless({ ...edited.body, overwrite, dry_run: isDryRun }, ''),
      },
    )
    return replay
  }
  const test = () => run(async () => setResult({ text, overwrite, replay: await send(true) }))
  const replay = () =>
    run(async () => {
      try {
        notify(TEXTS.replayed, showRecord(await send(false)))
      } catch (error) {
        // Another operator has replayed it, or it is rejected now: the test result is out of date.
        if (error instanceof HubCallError) setResult(null)
        throw error
      } finally {
        await refresh()
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
        error={edited.error}
      />
      {isTested && <OutcomeNotice replay={result.replay} />}
      {(result?.replay.outcome === 'stale' || overwrite) && (
        <Checkbox
          checked={overwrite}
          onChange={({ currentTarget }) => setOverwrite(currentTarget.checked)}
          label="Overwrite newer values"
          description="The body is stored as if it was received now. The replaced values stay in the history of the record."
        />
      )}
      <Group justify="space-between">
        <Group gap="xs">
          <Button
            leftSection={<IconFlask size={16} />}
            variant={canReplay ? 'default' : 'filled'}
            disabled={edited.error !== null}
            loading={isBusy}
            onClick={() => void test()}
          >
            {TEXTS.test}
          </Button>
          <Tooltip label="Test it first" disabled={canReplay}>
            <Button
              leftSection={<IconPlayerPlay size={16} />}
              variant={canReplay ? 'filled' : 'default'}
              {...(canReplay ? {} : { 'data-disabled': true })}
              aria-disabled={!canReplay}
              loading={isBusy}
              onClick={() => canReplay && void replay()}
            >
              {TEXTS.replay}
            </Button>
          </Tooltip>
        </Group>
        <ApplyToAll rejected={rejected} edited={edited.body.body} />
        {text !== original && (
          <Button variant="subtle" size="xs" onClick={() => setText(original)}>
            Discard changes
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        A test writes nothing. A replay stores the record as if it had been accepted when it was
        received.
      </Text>
    </Stack>
  )
}

/** Opens the group of a rejected push with the changes that were made to it, to test them on all. */
function ApplyToAll({ rejected, edited }: { rejected: RejectedPush; edited: unknown }) {
  const [{ tab }, change] = useUrlState()
  const { platform_name: platform, cause, body } = rejected
  const groups = useQuery(rejectedPushGroupsQuery({ platform }))
  const group = groups.data?.groups.find((one) => one.cause === cause)
  const changes = changesBetween(body, edited)
  if (!group || group.rejected_pushes < 2 || changes.length === 0) return null
  const place = tab ? { platform, cause } : { item: `rejected ${platform} ${cause}` }
  return (
    <Button
      variant="default"
      onClick={() => change({ ...place, rejected: null, changes: writeLossless(changes, '') })}
    >
      {`Apply the same change to all ${group.rejected_pushes}`}
    </Button>
  )
}
