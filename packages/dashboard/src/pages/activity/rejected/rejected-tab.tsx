import { Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import type { RejectedPushGroup } from '@recordhub/protocol'
import { IconMoodCheck, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { useModules } from '../../../api/platforms.ts'
import {
  rejectedPushGroupsQuery,
  rejectedPushPageQuery,
  useRefreshRejected,
} from '../../../api/rejected-pushes.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { timeLabel } from '../../../components/filter-chip.tsx'
import { LoadedPage } from '../../../components/loaded.tsx'
import { addUnknown, moduleChoices } from '../../../lib/choices.ts'
import { formatCount } from '../../../lib/format.ts'
import {
  numberIn,
  pickState,
  type UrlState,
  useUrlState,
  writeUrlState,
} from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { RepairGroup } from '../../inbox/repair.tsx'
import {
  FilterBar,
  ListSkeleton,
  PlatformSelect,
  RequestIdInput,
  SearchInput,
  SelectFilter,
} from '../list-parts.tsx'
import { CauseTable } from './cause-table.tsx'
import { RejectedDrawer } from './rejected-drawer.tsx'
import { RejectedTable } from './rejected-table.tsx'

export function RejectedTab() {
  const [state] = useUrlState()
  const shown = state['state'] ?? defaultState(state)
  const list = useQuery(
    rejectedPushPageQuery({
      ...pickState(state, [...BULK_FILTERS, 'pull', 'request_id', 'since', 'cursor']),
      limit: PAGE,
      state: shown === 'all' ? null : shown,
    }),
  )
  const causes = useQuery(rejectedPushGroupsQuery(pickState(state, ['platform'])))
  const groups = causes.data?.groups ?? []
  const openCount = groups
    .filter((group) => matchesFilters(state, group))
    .reduce((sum, group) => sum + group.rejected_pushes, 0)
  const { platform, cause } = state
  // Also after the last of the group was replayed, whose result is shown.
  const chosen = platform && cause ? { platform, cause } : null
  const isFiltered = REJECTED_FILTERS.some((name) => state[name])
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Rejected pushes and records are saved here with the reason. You can fix and replay them. A
        replay never overwrites newer data.
      </Text>
      {groups.length > 0 && <CauseTable groups={groups} />}
      {chosen && <RepairGroup key={chosen.cause} {...chosen} />}
      {/* The height of the cause table is unknown until it has loaded. */}
      {causes.isPending ? (
        <ListSkeleton height={52} rows={6} />
      ) : (
        <section aria-labelledby="rejected-list">
          <Group justify="space-between" mb="xs" gap="xs">
            <Title order={2} fz="h4" id="rejected-list">
              {TEXTS.all}
            </Title>
            {!chosen && <BulkActions count={openCount} />}
          </Group>
          <RejectedFilters
            codes={[...new Set(groups.map(({ code }) => code))]}
            recordTypes={[...new Set(groups.flatMap(({ record_type }) => record_type ?? []))]}
          />
          <LoadedPage
            query={list}
            skeleton={<RejectedTable rejected={undefined} />}
            empty={({ rejected_pushes }) =>
              rejected_pushes.length === 0 && <NoneRejected isFiltered={isFiltered} />
            }
          >
            {({ rejected_pushes }) => <RejectedTable rejected={rejected_pushes} />}
          </LoadedPage>
        </section>
      )}
      <RejectedDrawer />
    </Stack>
  )
}

function NoneRejected({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState
      icon={<IconMoodCheck />}
      title={isFiltered ? 'No matching rejected pushes' : 'No open rejected pushes'}
    >
      {isFiltered
        ? 'Clear a filter, or include replayed ones.'
        : 'Rejected pushes and records appear here with the reason, so that you can fix and replay them.'}
    </EmptyState>
  )
}

/** Dismisses all rejected pushes that match the filters. */
function BulkActions({ count }: { count: number }) {
  const [state] = useUrlState()
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  const query = writeUrlState(pickState(state, BULK_FILTERS))
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed">
        Replaying and dismissing require the operator role.
      </Text>
    )
  }
  if (query === '' || state['pull'] || state['request_id'] || state['since']) return null
  const dismiss = () =>
    confirm({
      title: 'Dismiss all matching?',
      children: `This deletes ${formatCount(count, 'open rejected push', 'open rejected pushes')} and the replayed ones with the same filter, including their bodies. They can no longer be replayed. Stored records are not changed.`,
      action: TEXTS.dismiss,
      onConfirm: async () => {
        const path = `/api/v1/rejected-pushes${query}`
        const { dismissed } = await callHub<{ dismissed: number }>(path, { method: 'DELETE' })
        notify(`${formatCount(dismissed, 'rejected push', 'rejected pushes')} dismissed`)
        await refresh()
      },
    })
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      leftSection={<IconTrash size={14} />}
      disabled={count === 0}
      onClick={dismiss}
    >
      Dismiss all matching
    </Button>
  )
}

const STATES = [
  { value: 'open', label: TEXTS.notReplayed },
  { value: 'replayed', label: TEXTS.replayed },
  { value: 'all', label: TEXTS.all },
]
const SHOWN = ['platform', 'record_type', 'code', 'state', 'pull', 'request_id']

/** @param recordTypes the record types of the rejected pushes, which may belong to no module. */
function RejectedFilters({ codes, recordTypes }: { codes: string[]; recordTypes: string[] }) {
  const [state, change] = useUrlState()
  const { platform } = state
  // These are chosen elsewhere.
  const names = [...SHOWN, ...['cause', 'since'].filter((name) => state[name])]
  return (
    <FilterBar names={REJECTED_FILTERS.filter((name) => names.includes(name))}>
      <PlatformSelect clears={['cause']} />
      <SelectFilter
        label={TEXTS.module}
        name="record_type"
        choices={recordTypes.reduce(addUnknown, moduleChoices(useModules(platform ?? null)))}
        searchable
        clears={['cause']}
      />
      <SelectFilter
        label="Code"
        name="code"
        choices={codes.map((value) => ({ value, label: value }))}
        clears={['cause']}
      />
      <Select
        label={TEXTS.state}
        size="xs"
        allowDeselect={false}
        data={STATES}
        value={state['state'] ?? defaultState(state)}
        onChange={(chosen) =>
          change({ state: chosen === defaultState(state) ? null : chosen, cursor: null })
        }
      />
      <SearchInput
        label={TEXTS.pull}
        placeholder="Number"
        inputMode="numeric"
        value={state['pull'] ?? ''}
        onSearch={(text) => {
          const id = numberIn(text.trim())
          change({ pull: id === null ? null : String(id), cursor: null }, { replace: true })
        }}
      />
      <RequestIdInput />
      {state['cause'] && (
        <TextInput label={TEXTS.cause} size="xs" value="Selected above" readOnly variant="filled" />
      )}
      {state['since'] && (
        <TextInput
          label="Last rejected"
          size="xs"
          value={timeLabel(state['since'], undefined)}
          readOnly
          variant="filled"
        />
      )}
    </FilterBar>
  )
}

const PAGE = '50'
/** The filters that a bulk dismissal supports. */
const BULK_FILTERS = ['platform', 'record_type', 'code', 'cause'] as const
const REJECTED_FILTERS = [...BULK_FILTERS, 'state', 'pull', 'request_id', 'since'] as const

/** The displayed state by default: open ones, but one that is found by its request in any state. */
function defaultState({ request_id }: UrlState): string {
  return request_id ? 'all' : 'open'
}

/** Whether a group matches the filters. */
function matchesFilters(state: UrlState, group: RejectedPushGroup): boolean {
  const { platform_name: platform, record_type, code, cause } = group
  const of: Record<string, string | null> = { platform, record_type, code, cause }
  return BULK_FILTERS.every((name) => !state[name] || state[name] === of[name])
}
