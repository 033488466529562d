import { Badge, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import type { Platform } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { recordQuery, type ShownRecord } from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import type { UrlChanges, UrlState } from '../../../lib/url-state.ts'
import { AsOf } from './as-of.tsx'
import { EraseButton } from './erase-dialog.tsx'
import { FieldsTab } from './fields-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { RawTab } from './raw-tab.tsx'
import { fieldsOfManifest } from './record-fields.ts'

type DrawerParts = {
  state: UrlState
  change: (changes: UrlChanges, options?: { replace?: boolean }) => void
  platforms: readonly Platform[]
}

/** One record, opened beside the list: what it holds, where that came from, and what it was. */
export function RecordDrawer({ state, change, platforms }: DrawerParts) {
  const { record: id } = state
  const close = () => change({ record: null, tab: null, as_of: null })
  return (
    <SideDrawer
      opened={id !== undefined}
      onClose={close}
      size="xl"
      title="Record"
      closeButtonProps={{ 'aria-label': 'Close the record' }}
    >
      {id !== undefined && (
        <OpenRecord
          key={id}
          id={id}
          state={state}
          change={change}
          platforms={platforms}
          onGone={close}
        />
      )}
    </SideDrawer>
  )
}

function OpenRecord({
  id,
  state,
  change,
  platforms,
  onGone,
}: DrawerParts & { id: string; onGone: () => void }) {
  const { as_of: asOf, tab = 'fields' } = state
  const found = useQuery(recordQuery(id, asOf))
  const { data, refetch } = found
  const error = errorInPlaceOfData(found)
  const setAsOf = (at: string | null) => change({ as_of: at })
  const moment = <AsOf asOf={asOf} onChange={setAsOf} />
  if (error) {
    return (
      <Stack>
        {asOf !== undefined && moment}
        <ErrorNotice
          error={error}
          onRetry={() => void refetch()}
          title="The record cannot be shown"
        />
      </Stack>
    )
  }
  if (!data) return <DrawerSkeleton />
  const { record } = data
  const manifest = fieldsOfManifest(platforms, record)
  return (
    <Stack gap="md">
      <Head record={record} platforms={platforms} />
      <Group gap="sm" align="flex-end">
        <CopyButton value={location.href} label="Copy a link to this record" words="Copy link" />
        <EraseButton record={record} onErased={onGone} />
        {moment}
      </Group>
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === 'fields' ? null : next }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="fields">Fields</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fields">
          <FieldsTab record={record} manifest={manifest} isPast={asOf !== undefined} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab record={record} manifest={manifest} onLook={setAsOf} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <RawTab record={record} asOf={asOf} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
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
          {reference_number} · {module_name} · {platform?.display_title ?? platform_name} · no.{' '}
          {record_id}
        </Text>
        {record.incomplete && (
          <Badge variant="light" color="yellow" tt="none">
            incomplete
          </Badge>
        )}
        {record.missing_since !== null && (
          <Badge variant="light" color="orange" tt="none">
            missing at the platform
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed" component="div">
        Came <Time at={record.created_at} seconds />, changed{' '}
        <Time at={record.updated_at} seconds />
      </Text>
    </Stack>
  )
}

function DrawerSkeleton() {
  return (
    <Stack aria-busy="true" aria-label="Loading the record">
      <Skeleton height={28} width="60%" />
      <Skeleton height={18} width="80%" />
      <Skeleton height={320} />
    </Stack>
  )
}
