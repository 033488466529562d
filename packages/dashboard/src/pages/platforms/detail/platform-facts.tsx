import { Alert, Box, Code, Paper, SimpleGrid, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { healthOf, healthReason } from '../platform-list.ts'
import { TEXTS } from './texts.tsx'

/** The fields of a registered platform (specification 2.1). */
export function PlatformFacts({ platform }: { platform: PlatformDetails }) {
  const health = healthOf(platform)
  const facts: [string, ReactNode][] = [
    [TEXTS.status, <StatusBadge key="status" status={platform.status} />],
    [TEXTS.platformName, platform.platform_name],
    [TEXTS.connectionType, platform.connection_type],
    [TEXTS.sourceBaseUrl, platform.source_base_url],
    [TEXTS.manifestFetched, <Time key="fetched" at={platform.manifest_fetched_at} />],
    [TEXTS.latestSyncFact, <Time key="synced" at={platform.latest_sync_at} />],
    [TEXTS.lastPushFact, <Time key="pushed" at={platform.last_push_at} />],
    [TEXTS.modules, `${formatNumber(platform.modules_registered)} registered`],
    [TEXTS.records, formatNumber(platform.records)],
    [TEXTS.hubApiKeyFact, <Code key="key">{platform.hub_api_key_hint ?? '—'}</Code>],
  ]
  return (
    <>
      {(health === 'failing' || health === 'needs_review') && (
        <Alert
          color={health === 'failing' ? 'red' : 'yellow'}
          variant="light"
          mb="md"
          icon={<IconAlertTriangle />}
          title={health === 'failing' ? TEXTS.lastPullFailed : TEXTS.needsReview}
        >
          {healthReason(platform)}{' '}
          {platform.missing_reviews > 0 && (
            <PageLink
              size="sm"
              c="inherit"
              underline="always"
              to="/dashboard/activity"
              search={{ tab: 'missing' }}
            >
              {TEXTS.reviewRecords}
            </PageLink>
          )}
        </Alert>
      )}
      {platform.pulls_paused_until !== null && (
        <Alert
          color="yellow"
          variant="light"
          mb="md"
          icon={<IconAlertTriangle />}
          title={TEXTS.scheduledPullsPaused}
        >
          {TEXTS.scheduledPullsPausedHint(<Time at={platform.pulls_paused_until} />)}
        </Alert>
      )}
      <Paper withBorder p="md" mb="md">
        <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
          {facts.map(([label, value]) => (
            <Box key={label} miw={0}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0} size="sm" fw={500}>
                {value}
              </Text>
            </Box>
          ))}
        </SimpleGrid>
      </Paper>
    </>
  )
}
