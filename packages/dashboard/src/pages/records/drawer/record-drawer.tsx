import { Alert, Badge, Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import type { Platform } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type PastVersion,
  type RecordVersion,
  recordQuery,
  type ShownRecord,
} from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { formatRelative } from '../../../lib/format.ts'
import type { UrlChanges, UrlState } from '../../../lib/url-state.ts'
import { useNow } from '../../../lib/use-now.ts'
import { TEXTS } from '../texts.tsx'
import { AsOf } from './as-of.tsx'
import { EraseButton } from './erase-dialog.tsx'
import { FieldsTab } from './fields-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { RawTab } from './raw-tab.tsx'
import { fieldsOfManifest } from './record-fields.ts'

type DrawerProps = {
  state: UrlState
  change: (changes: UrlChanges, options?: { replace?: boolean }) => void
  platforms: readonly Platform[]
}

/** One record beside the list: its fields with their sources, its history and its JSON. */
export function RecordDrawer({ state, change, platforms }: DrawerProps) {
  const { record: id } = state
  const close = () => change({ record: null, tab: null, as_of: null, change: null })
  return (
    <SideDrawer
      opened={id !== undefined}
      onClose={close}
      size="xl"
      title={TEXTS.record}
      closeButtonProps={{ 'aria-label': TEXTS.closeRecord }}
    >
      {id !== undefined && (
        <OpenRecord
          key={id}
          id={id}
          state={state}
          change={change}
          platforms={platforms}
          onClose={close}
        />
      )}
    </SideDrawer>
  )
}

function pastVersionOf({ as_of, change }: UrlState): PastVersion {
  if (change !== undefined) return { change_seq: change }
  return as_of === undefined ? null : { as_of }
}

function OpenRecord({
  id,
  state,
  change,
  platforms,
  onClose,
}: DrawerProps & { id: string; onClose: () => void }) {
  const { tab = 'fields' } = state
  const past = pastVersionOf(state)
  const found = useQuery(recordQuery(id, past))
  const { refetch } = found
  const { shown, newer, showNewer } = useShownVersion(found.data, past)
  const error = errorInPlaceOfData(found)
  const asOfInput = (
    <AsOf
      past={past}
      changedAt={shown?.record.updated_at ?? null}
      onChange={(at) => change({ as_of: at, change: null })}
    />
  )
  if (error) {
    return (
      <Stack>
        {past !== null && asOfInput}
        <ErrorNotice
          error={error}
          onRetry={() => void refetch()}
          title={TEXTS.couldNotLoadRecord}
        />
      </Stack>
    )
  }
  if (!shown) return <DrawerSkeleton />
  const { record, fields = [], change_seq } = shown
  const manifest = fieldsOfManifest(platforms, record)
  return (
    <Stack gap="md">
      <Head record={record} platforms={platforms} />
      {newer && <NewerVersion changedAt={newer.record.updated_at} onShow={showNewer} />}
      <Group gap="sm" align="flex-end">
        <CopyButton value={location.href} label={TEXTS.copyLinkRecord} text={TEXTS.copyLink} />
        <EraseButton record={record} onErased={onClose} />
        {asOfInput}
      </Group>
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === 'fields' ? null : next }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="fields">{TEXTS.fields}</Tabs.Tab>
          <Tabs.Tab value="history">{TEXTS.history}</Tabs.Tab>
          <Tabs.Tab value="raw">{TEXTS.raw}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fields">
          <FieldsTab record={record} manifest={manifest} origins={fields} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab
            record={record}
            changeSeq={change_seq}
            manifest={manifest}
            onViewVersion={(number) => change({ change: String(number), as_of: null })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <RawTab record={record} past={past} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

/**
 * Keeps the version that was opened, so that all tabs describe the same one. A newer version is shown on request, or
 * when another one is chosen.
 */
function useShownVersion(read: RecordVersion | undefined, past: PastVersion) {
  const chosen = JSON.stringify(past)
  const [kept, keep] = useState<{ chosen: string; version: RecordVersion } | null>(null)
  const showNewer = () => keep(read ? { chosen, version: read } : null)
  const shown = kept?.chosen === chosen ? kept.version : undefined
  if (read && !shown) showNewer()
  const isNewer = shown !== undefined && read?.change_seq !== shown.change_seq
  return { shown, newer: isNewer ? read : undefined, showNewer }
}

function NewerVersion({ changedAt, onShow }: { changedAt: string | null; onShow: () => void }) {
  const now = useNow(true)
  return (
    <Alert color="blue" variant="light" p="xs" role="status">
      <Group gap="sm" justify="space-between">
        <Text size="sm">{TEXTS.changed(formatRelative(changedAt ?? '', now))}</Text>
        <Button size="xs" variant="default" onClick={onShow}>
          {TEXTS.show}
        </Button>
      </Group>
    </Alert>
  )
}

function Head({ record, platforms }: { record: ShownRecord; platforms: readonly Platform[] }) {
  const { record_id, full_name, reference_number, module_name, platform_name } = record
  const platform = platforms.find((one) => one.platform_name === platform_name)
  return (
    <Stack gap={6}>
      <Text fw={650} fz="xl" lh={1.25} lineClamp={3}>
        {full_name || reference_number}
      </Text>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {TEXTS.recordSummary(
            reference_number,
            module_name,
            platform?.display_title ?? platform_name,
            record_id,
          )}
        </Text>
        {record.incomplete && (
          <Badge variant="light" color="yellow" tt="none">
            {TEXTS.incomplete}
          </Badge>
        )}
        {record.missing_since !== null && (
          <Badge variant="light" color="orange" tt="none">
            {TEXTS.missing}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {TEXTS.receivedAndUpdatedAt(
          <Time at={record.created_at} seconds />,
          <Time at={record.updated_at} seconds />,
        )}
      </Text>
    </Stack>
  )
}

function DrawerSkeleton() {
  return (
    <Stack aria-busy="true" aria-label={TEXTS.loading}>
      <Skeleton height={28} width="60%" />
      <Skeleton height={18} width="80%" />
      <Skeleton height={320} />
    </Stack>
  )
}
