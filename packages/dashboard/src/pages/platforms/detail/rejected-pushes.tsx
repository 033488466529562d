import { Accordion, Badge, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Time } from '../../../components/time.tsx'
import { writeLossless } from '../../../lib/lossless-json.ts'
import { ReplayButton } from './replay-button.tsx'
import { TEXTS } from './texts.tsx'

const SHOWN = 10

/** The newest rejected pushes of a platform, each with its body and the response sent. */
export function RejectedPushes({ platformName }: { platformName: string }) {
  const query = new URLSearchParams({ platform: platformName, limit: `${SHOWN}` })
  const rejected = useQuery(rejectedPushPageQuery(`${query}`))
  if (rejected.isPending) return <Skeleton height={120} />
  const error = errorInPlaceOfData(rejected)
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void rejected.refetch()} />
  }
  const rejected_pushes = rejected.data?.rejected_pushes ?? []
  if (rejected_pushes.length === 0) {
    return (
      <EmptyState icon={<IconCircleCheck />} title={TEXTS.noRejectedPushes}>
        {TEXTS.noRejectedPushesHint}
      </EmptyState>
    )
  }
  return (
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
              {one.count > 1 && <Text size="xs">{TEXTS.times(one.count)}</Text>}
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
