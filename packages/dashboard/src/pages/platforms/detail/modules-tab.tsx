import { Accordion, Alert, Badge, Button, Code, Group, List, Stack, Text } from '@mantine/core'
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
import { driftQuery } from '../../../api/platforms.ts'
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
import { type ChangeLabel, changeLabel } from './change-labels.ts'
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

const TONES: Readonly<Record<ChangeLabel['tone'], string>> = {
  added: 'green',
  removed: 'red',
  changed: 'blue',
}

type Changes = { changes: ManifestChange[]; modules: readonly PlatformModule[] }

/** The changes found by a refresh of the manifest. */
function NewChanges({ onClose, ...found }: Changes & { onClose: () => void }) {
  const isChanged = found.changes.length > 0
  return (
    <Alert
      color={isChanged ? 'blue' : 'green'}
      role="status"
      withCloseButton
      closeButtonLabel={TEXTS.close}
      onClose={onClose}
      title={isChanged ? 'The manifest has changed' : 'No changes'}
    >
      {isChanged ? <ChangeList {...found} /> : 'The manifest is unchanged.'}
    </Alert>
  )
}

/** Earlier changes of the manifest, newest first. */
function EarlierChanges({ platform: { id, modules } }: { platform: PlatformDetails }) {
  const drift = useQuery(driftQuery(id))
  const all = drift.data?.manifest_changes ?? []
  if (all.length === 0) return null
  return (
    <Accordion order={2}>
      <Accordion.Item value="changes">
        <Accordion.Control>
          <Text size="sm" fw={600}>
            Manifest history
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack>
            {all.map(({ at, changes }) => (
              <div key={at}>
                <Text size="sm" fw={600} component="div">
                  <Time at={at} seconds />
                </Text>
                <ChangeList changes={changes} modules={modules} />
              </div>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

function ChangeList({ changes, modules }: Changes) {
  const titleOf = (recordType: string) =>
    modules.find((one) => one.record_type === recordType)?.module_name ?? recordType
  const labels = changes.map((change) => changeLabel(change, titleOf))
  return (
    <List listStyleType="none" spacing={6} mt={6} aria-label="Manifest changes">
      {labels.map(({ tone, subject, before, after }) => (
        <List.Item key={`${tone} ${subject}`}>
          <Group gap="xs" align="flex-start">
            <Badge color={TONES[tone]}>{tone}</Badge>
            <Text size="sm">{subject}</Text>
            {after !== null && (
              <Text size="sm" c="dimmed">
                <del>{before}</del> → {after}
              </Text>
            )}
          </Group>
        </List.Item>
      ))}
    </List>
  )
}
