import { Accordion, Badge, Code, Group, Stack, Text } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Time } from '../../../components/time.tsx'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { TEXTS } from '../../../texts.ts'
import { ReplayButton } from './replay-button.tsx'

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
                  <Badge variant="default" tt="none">
                    {one.method}
                  </Badge>
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
  const { code, message, errors, body, method } = rejected
  const response = {
    success: false,
    code,
    message,
    ...(Object.keys(errors).length > 0 ? { errors } : {}),
  }
  return (
    <Stack gap="xs">
      <JsonBlock title={TEXTS.body} value={body} />
      <JsonBlock title={method === 'pull' ? TEXTS.reason : TEXTS.responseSent} value={response} />
      <ReplayButton rejected={rejected} />
    </Stack>
  )
}

function JsonBlock({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Code block tabIndex={0} mah={260} aria-label={title}>
        {writeLossless(value, '  ')}
      </Code>
    </div>
  )
}
