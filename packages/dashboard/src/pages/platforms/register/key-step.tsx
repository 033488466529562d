import { Alert, Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
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

/** One click selects the whole key. */
const SELECTED_AS_ONE = { userSelect: 'all', overflowWrap: 'anywhere' } as const

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
      {hubApiKey !== null ? (
        <Paper withBorder p="md">
          <Stack gap="xs">
            <Title order={2} fz="md">
              {TEXTS.hubApiKey}{' '}
              <Text span inherit size="sm" fw={400} c="dimmed">
                for pushes from {display_title}
              </Text>
            </Title>
            <Group
              gap="md"
              justify="space-between"
              p="sm"
              bg="var(--sunken)"
              bd="1px solid var(--line)"
              style={{ borderRadius: 'var(--mantine-radius-md)' }}
            >
              <Code aria-label={TEXTS.hubApiKey} fz="md" bg="none" p={0} style={SELECTED_AS_ONE}>
                {hubApiKey}
              </Code>
              <CopyButton value={hubApiKey} label={TEXTS.copyKey} text={TEXTS.copyKey} isPrimary />
            </Group>
            <Text size="xs" c="dimmed">
              {TEXTS.hubApiKeyInstructions(display_title)} Later an operator can reveal it, and the
              audit log says who did.
            </Text>
          </Stack>
        </Paper>
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
        <LinkButton to="/dashboard/platforms/$id" params={params} variant="default">
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
