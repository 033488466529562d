import {
  Accordion,
  Badge,
  Button,
  Code,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { PlatformDetails, RejectedPush, Replay } from '@recordhub/protocol'
import { IconArrowsDownUp, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { platformActivityQuery } from '../../../api/activity.ts'
import { callHub } from '../../../api/call-hub.ts'
import { pushErrorPageQuery } from '../../../api/inbox.ts'
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
import { PushErrorTable } from '../../activity/push-errors/push-errors-tab.tsx'
import { responseSent } from '../../activity/rejected/advice.ts'
import { MethodBadge } from '../../activity/rejected/rejected-table.tsx'
import { LogEntries } from './activity-tab.tsx'
import { Paged } from './paged.tsx'

const PAGE = '50'
/** Rejected pushes and push errors. */
const SHOWN = '10'

/** The pushes of the platform: accepted, rejected, and push errors. */
export function PushesTab({ platform }: { platform: PlatformDetails }) {
  const { platform_name, last_push_at } = platform
  const link = (tab: string, label: string) => (
    <PageLink to="/dashboard/inbox" search={{ tab, platform: platform_name }} size="sm">
      {label}
    </PageLink>
  )
  return (
    <Stack>
      <Text size="sm" c="dimmed" component="div">
        {last_push_at === null ? 'No accepted pushes yet.' : 'Last accepted push: '}
        {last_push_at !== null && <Time at={last_push_at} />}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Part id="rejected" title={TEXTS.rejected} link={link('rejected', 'All rejected pushes')}>
          <RejectedPushes platformName={platform_name} />
        </Part>
        <Part id="accepted" title="Accepted">
          <Paged
            query={platformActivityQuery({ platform: platform_name, kind: 'push', limit: PAGE })}
            isShown={({ kind }) => kind !== 'push.rejected'}
            empty={
              <EmptyState icon={<IconArrowsDownUp />} title="No accepted pushes">
                The platform pushes with its hub API key. Accepted pushes appear here with their
                record.
              </EmptyState>
            }
          >
            {(entries) => <LogEntries entries={entries} />}
          </Paged>
        </Part>
      </SimpleGrid>
      <Part id="push-errors" title={TEXTS.pushErrors} link={link('push-errors', 'All push errors')}>
        <Text size="sm" c="dimmed" mb="sm">
          Requests that this platform may have sent with an invalid API key or a malformed body.
        </Text>
        <PushErrors platformName={platform_name} />
      </Part>
    </Stack>
  )
}

function Part(props: {
  id: string
  title: string
  /** To the whole list. */
  link?: ReactNode
  children: ReactNode
}) {
  const { id, title, link, children } = props
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} fz="h4" id={id}>
          {title}
        </Title>
        {link}
      </Group>
      {children}
    </section>
  )
}

/** The newest push errors that the platform may have caused. */
function PushErrors({ platformName }: { platformName: string }) {
  const query = useQuery(pushErrorPageQuery({ platform: platformName, limit: SHOWN }))
  return (
    <Loaded
      query={query}
      empty={({ push_errors }) =>
        push_errors.length === 0 && (
          <EmptyState icon={<IconCircleCheck />} title={TEXTS.noPushErrors}>
            Pushes of this platform with an invalid API key or malformed JSON are counted here.
          </EmptyState>
        )
      }
    >
      {({ push_errors }) => <PushErrorTable errors={push_errors} isOfPlatform />}
    </Loaded>
  )
}

/** The newest rejected pushes of a platform, each with its body and the response sent. */
function RejectedPushes({ platformName }: { platformName: string }) {
  const query = rejectedPushPageQuery({ platform: platformName, limit: SHOWN })
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
        <Accordion order={3}>
          {rejected_pushes.map((one) => (
            <Accordion.Item key={one.id} value={String(one.id)}>
              <Accordion.Control>
                <Group gap="xs">
                  <MethodBadge method={one.method} />
                  <Text size="xs" c="dimmed" component="div">
                    <Time at={one.at} seconds />
                  </Text>
                  {one.count > 1 && <Text size="xs">{`${one.count} times`}</Text>}
                  {one.replayed_at && <Badge color="green">{TEXTS.replayed}</Badge>}
                  {one.accepted_at && <Badge color="green">{TEXTS.acceptedException}</Badge>}
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
      <JsonBlock title={TEXTS.body} json={writeLossless(body)} />
      {response === null ? (
        <JsonBlock title={TEXTS.reason} json={writeLossless({ code, errors })} />
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
