import { Accordion, Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import type {
  ManifestChange,
  ModuleCompleteness,
  PlatformDetails,
  PlatformModule,
} from '@recordhub/protocol'
import { IconListDetails, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { completenessPageQuery } from '../../../api/completeness.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { useAttempt } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { compareModule } from '../../overview/completeness-sums.ts'
import { RemovalList } from '../removal-list.tsx'
import { EarlierChanges, NewChanges } from './manifest-changes.tsx'
import { ModulePanel } from './module-panel.tsx'

/** The URL value if no module is expanded. */
const NONE = '-'

/** The modules of the manifest, registered or not. */
export function ModulesTab({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, modules, manifest_fetched_at } = platform
  const [{ module: opened = modules[0]?.record_type ?? NONE }, changeUrl] = useUrlState()
  const [changes, setChanges] = useState<ManifestChange[] | null>(null)
  const { isBusy, run } = useAttempt()
  const refreshLive = useRefreshLive()
  // By record type; only registered modules have an entry.
  const completeness = useQuery({
    ...completenessPageQuery({ platform: platform_name }),
    select: ({ modules }) => new Map(modules.map((module) => [module.record_type, module])),
  })
  const canOperate = useHasRole('operator')

  async function refresh(): Promise<void> {
    const path = `/api/v1/platforms/${id}/manifest/refresh`
    const refreshed = await callHub<{ changes: ManifestChange[] }>(path, {
      method: 'POST',
      body: {},
    })
    setChanges(refreshed.changes)
    await refreshLive()
  }

  return (
    <Stack>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" component="div">
          Manifest fetched <Time at={manifest_fetched_at} />. Pulls check it once an hour.
        </Text>
        {canOperate && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void run(refresh)}
          >
            Refresh manifest
          </Button>
        )}
      </Group>
      {changes && (
        <NewChanges changes={changes} modules={modules} onClose={() => setChanges(null)} />
      )}
      {canOperate && <RemovalList platformName={platform_name} />}
      {modules.length === 0 ? (
        <EmptyState icon={<IconListDetails />} title="The manifest has no modules">
          Ask the owner of the platform to add one. Then refresh the manifest.
        </EmptyState>
      ) : (
        <Accordion
          variant="separated"
          order={2}
          value={opened}
          onChange={(value) => changeUrl({ module: value ?? NONE })}
        >
          {modules.map((module) => (
            <Accordion.Item key={module.record_type} value={module.record_type}>
              <Accordion.Control>
                <ModuleHead
                  module={module}
                  completeness={completeness.data?.get(module.record_type)}
                />
              </Accordion.Control>
              <Accordion.Panel>
                <ModulePanel
                  platform={platform}
                  module={module}
                  completeness={completeness.data?.get(module.record_type)}
                />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      <EarlierChanges platform={platform} />
    </Stack>
  )
}

function ModuleHead({
  module: { module_name, record_type, fields, registered, removed_at, replayable },
  completeness,
}: {
  module: PlatformModule
  completeness: ModuleCompleteness | undefined
}) {
  return (
    <Group justify="space-between" gap="xs" pr="xs">
      <Group gap="xs">
        <Text fw={600}>{module_name}</Text>
        <Code>{record_type}</Code>
        <Badge color={registered ? 'green' : 'gray'}>
          {registered ? 'Registered' : 'Not registered'}
        </Badge>
        {removed_at && <Badge color="orange">{TEXTS.noLongerInManifest}</Badge>}
        {replayable > 0 && (
          <Badge color="yellow">{`${formatCount(replayable, 'push', 'pushes')} rejected`}</Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {formatCount(fields.length, 'field')}
        {completeness && ` · ${storedLabel(completeness)}`}
      </Text>
    </Group>
  )
}

/** All records that the hub has, and how many of them the list of the platform did not contain when it was read. */
function storedLabel(module: ModuleCompleteness): string {
  const { notListed } = compareModule(module)
  const stored = `${formatCount(module.records, 'record')} in the hub`
  return notListed === 0 ? stored : `${stored}, ${formatNumber(notListed)} of them not listed`
}
