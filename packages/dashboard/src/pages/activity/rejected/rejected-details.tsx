import { Alert, Anchor, Button, Code, Group, List, Stack, Text, Title } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { confirm, tell } from '../../../components/confirm.tsx'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { useStore } from '../../../lib/use-store.ts'
import { AdviceLine } from '../advice-line.tsx'
import { PlatformLink } from '../platform-link.tsx'
import { adviceFor, answerOf } from './advice.ts'
import { RejectedBody } from './rejected-body.tsx'
import { MethodBadge } from './rejected-table.tsx'
import { ReplayedNotice } from './replayed-notice.tsx'
import { useRereadRejected } from './use-rejected.ts'

export function RejectedDetails({
  rejected,
  onGone,
}: {
  rejected: RejectedPush
  onGone: () => void
}) {
  const { operator } = useStore(session)
  const reread = useRereadRejected()
  const { id, errors } = rejected
  const dismiss = () =>
    confirm({
      title: 'Dismiss it?',
      children:
        'The body and the reason are forgotten, and it cannot be replayed any more. Stored records stay as they are.',
      action: 'Dismiss',
      onConfirm: async () => {
        await callHub(`/api/v1/rejected-pushes/${id}`, { method: 'DELETE' })
        tell('Dismissed')
        onGone()
        await reread()
      },
    })
  return (
    <Stack>
      <Summary rejected={rejected} />
      {rejected.replayed_at !== null && <ReplayedNotice rejected={rejected} />}
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
          <AdviceLine words={adviceFor(rejected)} />
        </Stack>
      </Alert>
      <RejectedBody rejected={rejected} />
      <Answer rejected={rejected} />
      {mayActAs(operator?.role, 'operator') && (
        <Group justify="flex-end">
          <Button variant="subtle" color="red" size="xs" onClick={dismiss}>
            Dismiss it
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Summary({ rejected }: { rejected: RejectedPush }) {
  const { platform_name, record_type, method, count, first_at, at, pull_id } = rejected
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
      {pull_id !== null && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
          )}
        >
          Pull {pull_id}
        </Anchor>
      )}
    </Group>
  )
}

function Answer({ rejected }: { rejected: RejectedPush }) {
  const answer = answerOf(rejected)
  return (
    <section aria-labelledby="answer-given">
      <Title order={3} fz="sm" mb={4} id="answer-given">
        What the platform was answered
      </Title>
      {answer === null ? (
        <Text size="sm" c="dimmed">
          Nothing: the hub read this record itself, in a pull.
        </Text>
      ) : (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            Status 422
          </Text>
          <Code block tabIndex={0} aria-label="Answer">
            {answer}
          </Code>
        </>
      )}
    </section>
  )
}
