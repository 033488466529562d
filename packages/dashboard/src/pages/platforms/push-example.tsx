import { Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { pushCommand } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { guideQuery } from '../../api/guide.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TEXTS } from './texts.tsx'

/** An example push with a module and fields of the platform. Renders nothing for a platform without modules. */
export function PushExample({
  platformId,
  hubApiKey,
}: {
  platformId: string
  hubApiKey: string | null
}) {
  const guide = useQuery(guideQuery(platformId))
  if (guide.isError) {
    return <ErrorNotice error={guide.error} onRetry={() => void guide.refetch()} />
  }
  if (!guide.data) return <Skeleton height={180} aria-label={TEXTS.loading} />
  const { first_push } = guide.data
  if (!first_push) return null
  const { hub_url: hubUrl, tunnel_header: tunnelHeader, record: data } = first_push
  const command = pushCommand({ hubUrl, tunnelHeader, hubApiKey, data })
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {TEXTS.examplePush}
        </Text>
        <CopyButton value={command} label={TEXTS.copyExample} text={TEXTS.copyExample} />
      </Group>
      <Code block tabIndex={0} aria-label={TEXTS.examplePush}>
        {command}
      </Code>
    </Stack>
  )
}
