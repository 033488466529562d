import { Accordion, Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import type { RejectedPush, Replay } from '@recordhub/protocol'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { useAttempt } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { responseSent } from '../../activity/rejected/advice.ts'
import { MethodBadge } from '../../activity/rejected/rejected-table.tsx'

const SHOWN = 10

/** The newest rejected pushes of a platform, each with its body and the response sent. */
export function RejectedPushes({ platformName }: { platformName: string }) {
  const query = rejectedPushPageQuery({ platform: platformName, limit: String(SHOWN) })
  return (
    <Loaded
      query={useQuery(query)}
      empty={({ rejected_pushes }) =>
        rejected_pushes.length === 0 && (
          <EmptyState icon={<IconCircleCheck />} title="No rejected pushes">
            Rejected pushes appear here with the reason.
          </EmptyState>
        )
      }
    >
      {({ rejected_pushes }) => (
        <Accordion variant="separated" order={3}>
          {rejected_pushes.map((one) => (
            <Accordion.Item key={one.id} value={String(one.id)}>
              <Accordion.Control>
                <Group gap="xs">
                  <MethodBadge method={one.method} />
                  <Text size="xs" c="dimmed" component="div">
                    <Time at={one.at} seconds />
                  </Text>
                  {one.count > 1 && <Text size="xs">{`${one.count} times`}</Text>}
                  {one.replayed_at && (
                    <Badge variant="light" color="green" tt="none">
                      {TEXTS.replayed}
                    </Badge>
                  )}
                  {one.accepted_at && (
                    <Badge variant="light" color="green" tt="none">
                      {TEXTS.acceptedException}
                    </Badge>
                  )}
                </Group>
                <Text size="sm" mt={4}>
                  {one.message}
                </Text>
              </Accordion.Control>
              <Accordion.Panel>
                <Rejected rejected={one} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Loaded>
  )
}

function Rejected({ rejected }: { rejected: RejectedPush }) {
  const { code, errors, body } = rejected
  const response = responseSent(rejected)
  return (
    <Stack gap="xs">
      <JsonBlock title={TEXTS.body} json={writeLossless(body, '  ')} />
      {response === null ? (
        <JsonBlock title={TEXTS.reason} json={writeLossless({ code, errors }, '  ')} />
      ) : (
        <JsonBlock title={TEXTS.responseSent} json={response} />
      )}
      <ReplayButton rejected={rejected} />
    </Stack>
  )
}

function JsonBlock({ title, json }: { title: string; json: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Code block tabIndex={0} mah={260} aria-label={title}>
        {json}
      </Code>
    </div>
  )
}

/** Replays a rejected push. Its body is edited in the inbox. */
function ReplayButton({ rejected }: { rejected: RejectedPush }) {
  const { id, platform_name, replayed_at, replayed_by } = rejected
  const { isBusy, run } = useAttempt()
  const [replay, setReplay] = useState<Replay | null>(null)
  const canOperate = useHasRole('operator')
  const refreshLive = useRefreshLive()

  async function start(): Promise<void> {
    const path = `/api/v1/rejected-pushes/${id}/replay`
    setReplay((await callHub<{ replay: Replay }>(path, { method: 'POST', body: {} })).replay)
    await refreshLive()
  }

  if (replayed_at !== null) {
    return (
      <Text size="sm" component="div">
        Replayed <Time at={replayed_at} /> by <OperatorName by={replayed_by} />.
      </Text>
    )
  }
  return (
    <>
      {canOperate && (
        <Group gap="sm">
          <Button size="xs" loading={isBusy} onClick={() => void run(start)}>
            {TEXTS.replay}
          </Button>
          <PageLink
            to="/dashboard/inbox"
            search={{ tab: 'rejected', platform: platform_name, rejected: String(id) }}
            size="sm"
          >
            Fix before replay
          </PageLink>
        </Group>
      )}
      {replay && (
        <Text size="sm" role="status">
          {replay.outcome === 'rejected' ? `Rejected again: ${replay.message}` : replay.message}
        </Text>
      )}
    </>
  )
}
