import { Alert, Box, Code, Paper, SimpleGrid, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PageLink } from '../../../components/page-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { healthOf, healthReason } from '../platform-list.ts'

/** The fields of a registered platform (specification 2.1). */
export function PlatformFacts({ platform }: { platform: PlatformDetails }) {
  const health = healthOf(platform)
  const facts: [string, ReactNode][] = [
    ['Status', <StatusBadge key="status" status={platform.status} />],
    ['Platform Name', platform.platform_name],
    ['Connection Type', platform.connection_type],
    ['Source Base URL', platform.source_base_url],
    ['Manifest Fetched', <Time key="fetched" at={platform.manifest_fetched_at} />],
    ['Latest Sync', <Time key="synced" at={platform.latest_sync_at} />],
    ['Last Push', <Time key="pushed" at={platform.last_push_at} />],
    ['Modules', `${formatNumber(platform.modules_registered)} registered`],
    ['Records', formatNumber(platform.records)],
    ['Hub API Key', <Code key="key">{platform.hub_api_key_hint ?? '—'}</Code>],
  ]
  return (
    <>
      {(health === 'failing' || health === 'needs_review') && (
        <Alert
          color={health === 'failing' ? 'red' : 'yellow'}
          variant="light"
          mb="md"
          icon={<IconAlertTriangle />}
          title={health === 'failing' ? 'Last pull failed' : 'Needs review'}
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
              Review records
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
          title="Scheduled pulls are paused"
        >
          The last pulls received no records of this platform. Scheduled pulls skip it until{' '}
          <Time at={platform.pulls_paused_until} />, or until it responds or pushes a record. You
          can pull it now.
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
