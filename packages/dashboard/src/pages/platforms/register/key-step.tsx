import { Alert, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { platformQuery } from '../../../api/platforms.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { PullButton } from '../pull-button.tsx'
import { PushExample } from '../push-example.tsx'
import { FirstPush } from './first-push.tsx'

/** The last step: the hub API key, an example push, and waiting for the first push. */
export function KeyStep({
  platformId,
  hubApiKey,
}: {
  platformId: string
  /** Known only directly after the registration. */
  hubApiKey: string | null
}) {
  const platform = useQuery(platformQuery(platformId))
  const error = errorInPlaceOfData(platform)
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void platform.refetch()} />
  }
  if (!platform.data) return <Skeleton height={260} aria-label="Loading" />
  const { id, display_title, hub_api_key_hint } = platform.data
  const params = { id: String(id) }
  return (
    <Stack>
      <Title order={2} fz="h4">
        {display_title} is registered
      </Title>
      {hubApiKey !== null ? (
        <>
          <Text size="sm">
            Give this hub API key to the owner of {display_title} only. The platform sends it in{' '}
            <Code>X-API-KEY</Code> with every push.
          </Text>
          <Group gap="xs">
            <Code block aria-label="Hub API key" fz="sm">
              {hubApiKey}
            </Code>
            <CopyButton value={hubApiKey} label="Copy hub API key" text="Copy key" />
          </Group>
        </>
      ) : (
        <Alert color="blue" variant="light" title={`Hub API key ${hub_api_key_hint ?? ''}`}>
          The key was shown when the platform was registered. You can reveal it in the{' '}
          <PageLink
            to="/dashboard/platforms/$id"
            params={params}
            search={{ tab: 'settings' }}
            inherit
            underline="always"
          >
            settings of the platform
          </PageLink>
          . Your password is required.
        </Alert>
      )}
      <PushExample platformId={platformId} hubApiKey={hubApiKey} />
      <Text size="sm">
        More examples, also for PHP, Node, Python, C# and Java:{' '}
        <PageLink
          to="/dashboard/guide"
          search={{ platform: String(id) }}
          inherit
          underline="always"
        >
          the integration guide for {display_title}
        </PageLink>
        .
      </Text>
      <FirstPush platform={platform.data} />
      <Group>
        <LinkButton to="/dashboard/platforms/$id" params={params}>
          Open {display_title}
        </LinkButton>
        <PullButton platform={platform.data} />
      </Group>
    </Stack>
  )
}
