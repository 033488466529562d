import {
  Alert,
  Button,
  Code,
  Group,
  ScrollArea,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { rejectedPushQuery, useRefreshRejected } from '../../../api/rejected-pushes.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { SideDrawer } from '../../../components/dialog.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { PullLink } from '../../../components/page-link.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { numberIn, useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { AdviceLine } from '../list-parts.tsx'
import { adviceFor, noResponseLabel, responseSent } from './advice.ts'
import { MethodBadge } from './rejected-table.tsx'
import { ReplayForm } from './replay-form.tsx'
import { AcceptedNotice, FieldErrors, ReplayedNotice } from './replay-notices.tsx'

/** A rejected push or record: the reason, the body, the response sent, and a form to fix and replay it. */
export function RejectedDrawer() {
  const [state, change] = useUrlState()
  const id = numberIn(state['rejected'])
  const close = () => change({ rejected: null })
  const query = useQuery({ ...rejectedPushQuery(id ?? 0), enabled: id !== null })
  return (
    <SideDrawer opened={id !== null} onClose={close} size="xl" title="Rejected record">
      {id !== null && (
        <Loaded query={query} skeleton={<Skeleton height={400} />} keepsData>
          {({ rejected_push }) => (
            <RejectedDetails key={id} rejected={rejected_push} onDismissed={close} />
          )}
        </Loaded>
      )}
    </SideDrawer>
  )
}

type DetailsProps = { rejected: RejectedPush; onDismissed: () => void }

function RejectedDetails({ rejected, onDismissed }: DetailsProps) {
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  const { id, errors } = rejected
  const dismiss = () =>
    confirm({
      title: 'Dismiss this rejected push?',
      children:
        'This deletes the body and the reason. It can no longer be replayed. Stored records are not changed.',
      action: TEXTS.dismiss,
      onConfirm: async () => {
        await callHub(`/api/v1/rejected-pushes/${id}`, { method: 'DELETE' })
        notify('Rejected push dismissed')
        onDismissed()
        await refresh()
      },
    })
  return (
    <Stack>
      <Summary rejected={rejected} />
      {rejected.replayed_at !== null && <ReplayedNotice rejected={rejected} />}
      {rejected.accepted_at !== null && <AcceptedNotice rejected={rejected} />}
      <Alert color="orange" title={rejected.message}>
        <Stack gap="xs">
          <FieldErrors errors={errors} />
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
          {formatNumber(count)} times since <Time at={first_at} seconds />
        </Text>
      )}
      {request_id !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {`Last request ${request_id}`}
        </Text>
      )}
      {pull_id !== null && <PullLink id={pull_id} size="sm" />}
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
          {noResponseLabel(rejected)}
        </Text>
      ) : (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            Status 422
          </Text>
          <Code block tabIndex={0} aria-label={TEXTS.responseSent}>
            {response}
          </Code>
        </>
      )}
    </section>
  )
}

/** The body of a rejected push, to read, or to edit and replay. */
function RejectedBody({ rejected }: { rejected: RejectedPush }) {
  const canReplay = useHasRole('operator')
  const [view, setView] = useState(canReplay && rejected.replayed_at === null ? 'edit' : 'pretty')
  const text = writeLossless(rejected.body, view === 'raw' ? '' : '  ')
  const views = [
    ...(canReplay ? [{ value: 'edit', label: 'Fix and replay' }] : []),
    { value: 'pretty', label: 'Pretty' },
    { value: 'raw', label: 'Raw' },
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
            aria-label="Body view"
            data={views}
            value={view}
            onChange={setView}
          />
          <CopyButton value={text} label="Copy body" />
        </Group>
      </Group>
      {view === 'edit' ? (
        <ReplayForm rejected={rejected} />
      ) : (
        <ScrollArea.Autosize
          mah={420}
          type="auto"
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': TEXTS.body }}
        >
          <Code block>{text}</Code>
        </ScrollArea.Autosize>
      )}
    </section>
  )
}
