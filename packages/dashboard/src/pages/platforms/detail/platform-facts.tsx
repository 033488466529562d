import { Alert, Box, Code, Paper, SimpleGrid, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { HealthReasons } from '../health-reasons.tsx'
import { HEALTH_LABELS } from '../platform-list.ts'
import { TEXTS } from './texts.tsx'

/** The fields of a registered platform (specification 2.1). */
export function PlatformFacts({ platform }: { platform: PlatformDetails }) {
  const { state } = platform.health
  const facts: [string, ReactNode][] = [
    [TEXTS.status, <StatusBadge key="status" status={platform.status} />],
    [TEXTS.platformName, platform.platform_name],
    [TEXTS.connectionType, platform.connection_type],
    [TEXTS.sourceBaseUrl, platform.source_base_url],
    [TEXTS.manifestFetched, <Time key="fetched" at={platform.manifest_fetched_at} />],
    [TEXTS.latestSync, <Time key="synced" at={platform.latest_sync_at} />],
    [TEXTS.lastPushFact, <Time key="pushed" at={platform.last_push_at} />],
    [TEXTS.modules, `${formatNumber(platform.modules_registered)} registered`],
    [TEXTS.records, formatNumber(platform.records)],
    [TEXTS.hubApiKeyFact, <Code key="key">{platform.hub_api_key_hint ?? '—'}</Code>],
  ]
  return (
    <>
      {(state === 'failing' || state === 'needs_attention') && (
        <Alert
          color={state === 'failing' ? 'red' : 'yellow'}
          variant="light"
          mb="md"
          icon={<IconAlertTriangle />}
          title={HEALTH_LABELS[state]}
        >
          <HealthReasons platform={platform} />
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
