import { Alert, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { pushCommand } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { guideQuery } from '../../../api/guide.ts'
import { platformQuery } from '../../../api/platforms.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { PullButton } from '../pull-button.tsx'
import { TEXTS } from '../texts.tsx'
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
  if (!platform.data) return <Skeleton height={260} aria-label={TEXTS.loading} />
  const { id, display_title, hub_api_key_hint } = platform.data
  const params = { id: String(id) }
  return (
    <Stack>
      <Title order={2} fz="h4">
        {TEXTS.isRegistered(display_title)}
      </Title>
      {hubApiKey !== null ? (
        <>
          <Text size="sm">{TEXTS.hubApiKeyInstructions(display_title)}</Text>
          <Group gap="xs">
            <Code block aria-label={TEXTS.hubApiKey} fz="sm">
              {hubApiKey}
            </Code>
            <CopyButton value={hubApiKey} label={TEXTS.copyHubApiKey} text={TEXTS.copyKey} />
          </Group>
        </>
      ) : (
        <Alert color="blue" variant="light" title={TEXTS.hubApiKeyTitle(hub_api_key_hint ?? '')}>
          {TEXTS.hubApiKeyHint(
            <PageLink
              to="/dashboard/platforms/$id"
              params={params}
              search={{ tab: 'settings' }}
              inherit
              underline="always"
            >
              {TEXTS.settingsPlatform}
            </PageLink>,
          )}
        </Alert>
      )}
      <PushExample platformId={platformId} hubApiKey={hubApiKey} />
      <Text size="sm">
        {TEXTS.moreExamples(
          <PageLink
            to="/dashboard/guide"
            search={{ platform: String(id) }}
            inherit
            underline="always"
          >
            {TEXTS.integrationGuideFor(display_title)}
          </PageLink>,
        )}
      </Text>
      <FirstPush platform={platform.data} />
      <Group>
        <LinkButton to="/dashboard/platforms/$id" params={params}>
          {TEXTS.openPlatform(display_title)}
        </LinkButton>
        <PullButton platform={platform.data} />
      </Group>
    </Stack>
  )
}

/** An example push with a module and fields of the platform. Renders nothing for a platform without modules. */
function PushExample({ platformId, hubApiKey }: { platformId: string; hubApiKey: string | null }) {
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
