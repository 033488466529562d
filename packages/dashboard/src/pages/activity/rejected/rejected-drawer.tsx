import {
  Alert,
  Anchor,
  Button,
  Code,
  Group,
  List,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callHub } from '../../../api/call-hub.ts'
import { rejectedPushQuery, useRefreshRejected } from '../../../api/rejected-pushes.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { AdviceLine } from '../advice-line.tsx'
import { TEXTS } from '../texts.tsx'
import { adviceFor, responseSent } from './advice.ts'
import { RejectedBody } from './rejected-body.tsx'
import { MethodBadge } from './rejected-table.tsx'
import { AcceptedNotice, ReplayedNotice } from './replay-notices.tsx'

/** A rejected push or record: the reason, the body, the response sent, and a form to fix and replay it. */
export function RejectedDrawer() {
  const [state, change] = useUrlState()
  const id = /^[1-9]\d{0,14}$/.test(state['rejected'] ?? '') ? (state['rejected'] ?? null) : null
  const close = () => change({ rejected: null })
  return (
    <SideDrawer opened={id !== null} onClose={close} size="xl" title={TEXTS.rejectedRecord}>
      {id !== null && <Loaded key={id} id={id} onDismissed={close} />}
    </SideDrawer>
  )
}

function Loaded({ id, onDismissed }: { id: string; onDismissed: () => void }) {
  const { data, error, refetch } = useQuery(rejectedPushQuery(id))
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={400} />
  return <RejectedDetails rejected={data.rejected_push} onDismissed={onDismissed} />
}

function RejectedDetails({
  rejected,
  onDismissed,
}: {
  rejected: RejectedPush
  onDismissed: () => void
}) {
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  const { id, errors } = rejected
  const dismiss = () =>
    confirm({
      title: TEXTS.dismissRejectedPushTitle,
      children: TEXTS.dismissRejectedPushMessage,
      action: TEXTS.dismiss,
      onConfirm: async () => {
        await callHub(`/api/v1/rejected-pushes/${id}`, { method: 'DELETE' })
        notify(TEXTS.rejectedPushDismissed)
        onDismissed()
        await refresh()
      },
    })
  return (
    <Stack>
      <Summary rejected={rejected} />
      {rejected.replayed_at !== null && <ReplayedNotice rejected={rejected} />}
      {rejected.accepted_at !== null && <AcceptedNotice rejected={rejected} />}
      <Alert color="orange" variant="light" title={rejected.message}>
        <Stack gap="xs">
          {Object.keys(errors).length > 0 && (
            <List size="sm">
              {Object.entries(errors).map(([name, problems]) => (
                <List.Item key={name}>
                  <Code>{name}</Code> {problems.join('; ')}
                </List.Item>
              ))}
            </List>
          )}
          <AdviceLine text={adviceFor(rejected)} />
        </Stack>
      </Alert>
      <RejectedBody rejected={rejected} />
      <ResponseSent rejected={rejected} />
      {canOperate && (
        <Group justify="flex-end">
          <Button variant="subtle" color="red" size="xs" onClick={dismiss}>
            {TEXTS.dismiss}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Summary({ rejected }: { rejected: RejectedPush }) {
  const { platform_name, record_type, method, count, first_at, at, pull_id, request_id } = rejected
  return (
    <Group gap="xs">
      <MethodBadge method={method} />
      <PlatformLink name={platform_name} />
      <Text size="sm">
        <ModuleTitle platform={platform_name} recordType={record_type} />
      </Text>
      <Text size="sm" c="dimmed">
        <Time at={at} seconds />
      </Text>
      {count > 1 && (
        <Text size="sm" c="dimmed">
          {TEXTS.timesSince(formatNumber(count), <Time at={first_at} seconds />)}
        </Text>
      )}
      {request_id !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {TEXTS.lastRequest(request_id)}
        </Text>
      )}
      {pull_id !== null && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
          )}
        >
          {TEXTS.pullLink(pull_id)}
        </Anchor>
      )}
    </Group>
  )
}

function ResponseSent({ rejected }: { rejected: RejectedPush }) {
  const response = responseSent(rejected)
  return (
    <section aria-labelledby="response-sent">
      <Title order={3} fz="sm" mb={4} id="response-sent">
        {TEXTS.responseSent}
      </Title>
      {response === null ? (
        <Text size="sm" c="dimmed">
          {TEXTS.noResponseSent}
        </Text>
      ) : (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            {TEXTS.status422}
          </Text>
          <Code block tabIndex={0} aria-label={TEXTS.responseSent}>
            {response}
          </Code>
        </>
      )}
    </section>
  )
}
