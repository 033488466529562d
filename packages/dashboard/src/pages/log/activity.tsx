/** What the hub and its operators did. */
import { Button, Stack, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import type { ActivityEntry } from '@recordhub/protocol'
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconArrowDownLeft,
  IconDownload,
  IconListSearch,
  IconSettings,
  IconUser,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { activityPageQuery } from '../../api/activity.ts'
import { snapshot } from '../../api/live.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import {
  FilterChip,
  FilterChips,
  FilterPlatform,
  FilterSelect,
  FilterTime,
} from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager } from '../../components/pager.tsx'
import { Second } from '../../components/time.tsx'
import { formatCount, formatDay, formatNumber, formatSecond } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { pickState, type UrlState, useUrlState } from '../../lib/url-state.ts'
import { SearchInput } from '../activity/list-parts.tsx'
import { foldRepeats, type LogRow } from './activity-rows.ts'
import { Actor, EntryDrawer } from './entry-drawer.tsx'
import { followOf } from './follow.ts'
import { Event, FollowState, Retention, useFollowing } from './log-parts.tsx'

const PAGE = '50'
const FILTERS = ['q', 'platform', 'level', 'kind', 'by', 'since', 'until', 'record'] as const

/** The parameters of the list of a state. */
export const activityFilters = (state: UrlState): UrlState => pickState(state, FILTERS)

export function ActivityTab() {
  const [state] = useUrlState()
  const [{ y }] = useWindowScroll()
  const follow = followOf(state, y)
  const isFollowing = follow === 'following'
  const search = { ...pickState(state, [...FILTERS, 'cursor']), limit: PAGE }
  const query = useQuery(activityPageQuery(search, isFollowing))
  const { isPlaceholderData } = query
  useFollowing(query, isFollowing)
  const isFiltered = FILTERS.some((name) => state[name])
  const { activity, next_cursor: older, complete } = query.data ?? {}
  const isWhole = complete && older === null && !state['cursor'] && !isPlaceholderData
  const latest = useStore(snapshot)?.logs[0]?.id ?? 0
  // The newest log entry, filtered or not, when the log was last followed.
  const [known, setKnown] = useState(latest)
  useEffect(() => {
    if (isFollowing || known === 0) setKnown(latest)
  }, [isFollowing, known, latest])
  return (
    <>
      <LogFilters whole={isWhole ? activity : undefined}>
        <FollowState
          follow={follow}
          isBehind={follow === 'reading' && known > 0 && latest > known}
        />
      </LogFilters>
      <Loaded query={query} skeleton={<LogTable entries={undefined} />}>
        {({ activity, complete, next_cursor }) => (
          <Stack gap="xs" opacity={isPlaceholderData ? 0.6 : 1}>
            {activity.length > 0 && <LogTable entries={activity} />}
            {activity.length === 0 && complete && (
              <EmptyState
                icon={<IconListSearch />}
                title={isFiltered ? 'No matching log entries' : 'No activity yet'}
              >
                {isFiltered
                  ? 'Clear a filter, or choose another time.'
                  : 'Activity appears here when a platform is registered, pushes or is pulled.'}
              </EmptyState>
            )}
            {!complete && (
              <Text size="sm" c="dimmed" role="status">
                The search stopped after two seconds. “Next” continues it. A filter by platform,
                level or time makes it faster.
              </Text>
            )}
            <Text size="xs" c="dimmed">
              {formatCount(activity.length, 'event')} on this page. <Retention name="activity" />
            </Text>
            <Pager next={next_cursor} isStale={isPlaceholderData} />
          </Stack>
        )}
      </Loaded>
      <EntryDrawer shown={query.data?.activity ?? []} />
    </>
  )
}

/** Kinds of log entries. The hub filters by the first word of a kind. */
const KINDS = [
  { value: 'push', label: 'Pushes' },
  { value: 'pull', label: 'Pulls' },
  { value: 'pull_task', label: 'Pulled modules' },
  { value: 'missing', label: 'Missing records' },
  { value: 'replay', label: 'Replays' },
  { value: 'revert', label: 'Reverts' },
  { value: 'holds', label: 'Lifted holds' },
  { value: 'rejected_push', label: 'Dismissed rejected pushes' },
  { value: 'record', label: 'Erased records' },
  { value: 'tombstone', label: 'Deleted tombstones' },
  { value: 'platform', label: 'Platforms' },
  { value: 'module', label: 'Modules' },
  { value: 'manifest', label: 'Manifests' },
  { value: 'schedule', label: 'Schedule' },
  { value: 'alert', label: 'Alerts' },
]
const CHIPS: readonly [label: string, name: Chip, value: string][] = [
  ['Pushes', 'kind', 'push'],
  ['Pulls', 'kind', 'pull'],
  ['Operators', 'by', 'operator'],
  ['Warnings', 'level', 'warning'],
  ['Errors', 'level', 'error'],
]

type Chip = 'kind' | 'by' | 'level'
const MATCHES: Record<Chip, (entry: ActivityEntry, value: string) => boolean> = {
  kind: ({ kind }, value) => kind.startsWith(`${value}.`),
  by: ({ actor }) => actor !== null,
  level: ({ level }, value) => level === value,
}

/** @param whole the whole list, if it is on this page: only then a chip has a count. */
function LogFilters(props: { whole: ActivityEntry[] | undefined; children: ReactNode }) {
  const { whole, children } = props
  const [state, change] = useUrlState()
  const clear = () => change(Object.fromEntries(['cursor', ...FILTERS].map((one) => [one, null])))
  const isFiltered = FILTERS.some((name) => state[name])
  return (
    <FilterChips label="Filters">
      <FilterChip
        label="All"
        {...(whole && !isFiltered ? { count: formatNumber(whole.length) } : {})}
        isPressed={!isFiltered}
        onClick={clear}
      />
      {CHIPS.map(([label, name, value]) => (
        <FilterChip
          key={label}
          label={label}
          {...(whole && (state[name] ?? value) === value
            ? { count: formatNumber(whole.filter((one) => MATCHES[name](one, value)).length) }
            : {})}
          isPressed={state[name] === value}
          onClick={() => change({ [name]: state[name] === value ? null : value, cursor: null })}
        />
      ))}
      <FilterSelect label="Kind" name="kind" choices={KINDS} />
      <FilterPlatform />
      <FilterTime maxHours={720} />
      {state['record'] && (
        <FilterChip
          label={`Record ${state['record']}`}
          isPressed
          onClick={() => change({ record: null, cursor: null })}
        />
      )}
      <SearchInput
        aria-label="Search the log"
        placeholder="Search the log"
        maxLength={200}
        w={190}
        value={state['q'] ?? ''}
        onSearch={(q) => change({ q, cursor: null }, { replace: true })}
      />
      {isFiltered && (
        <Button variant="subtle" size="compact-xs" onClick={clear}>
          Clear filters
        </Button>
      )}
      {children}
    </FilterChips>
  )
}

const column = columnsFor<LogRow>()

/** The log as a table. Repeats of an event fold; an entry opens in {@link EntryDrawer}. */
export function LogTable(props: {
  /** Undefined while they load. */
  entries: ActivityEntry[] | undefined
  isOfPlatform?: boolean
}) {
  const { entries, isOfPlatform = false } = props
  const [state, change] = useUrlState()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const now = Date.now()
  const dayOf = (at: string) => formatDay(at, now)
  const open = ({ entry }: LogRow) => change({ line: String(entry.id) })
  const fold = (id: string) => setOpened((before) => before.symmetricDifference(new Set([id])))
  return (
    <ListTable
      label="Log"
      rows={entries && foldRepeats(entries, { dayOf, opened })}
      idOf={({ id }) => id}
      isCurrent={({ entry, entries: all }) =>
        all.length === 1 && String(entry.id) === state['line']
      }
      onOpen={(row) => (row.entries.length > 1 ? fold(row.id) : open(row))}
      headingOf={({ entry }) => ({ id: dayOf(entry.at), content: dayOf(entry.at) })}
      lookOf={({ isChild }) => (isChild ? 'sunken' : undefined)}
      columns={[
        column.of(
          'Time',
          (row) => (
            <UnstyledButton
              fz="inherit"
              c="dimmed"
              onClick={() => open(row)}
              aria-haspopup="dialog"
              aria-label={`${formatSecond(row.entry.at)} ${row.entry.message}`}
            >
              <Second at={row.entry.at} />
            </UnstyledButton>
          ),
          { width: 116, phone: 'end' },
        ),
        column.of('Kind', ({ entry }) => <KindIcon entry={entry} />, {
          width: 40,
          hidesTitle: true,
          phone: 'none',
        }),
        column.of(
          'Event',
          (row) => <Event row={row} isOpen={opened.has(row.id)} onFold={() => fold(row.id)} />,
          { phone: 'first' },
        ),
        ...(isOfPlatform
          ? []
          : [column.platform('Platform', ({ entry }) => entry.platform_name, { from: 'desktop' })]),
        column.of('Actor', ({ entry }) => <Actor entry={entry} />, {
          width: 140,
          from: 'desktop',
          phone: 'none',
        }),
      ]}
    />
  )
}

/** The icon says the kind; only warnings and errors have a color. */
function KindIcon({ entry }: { entry: ActivityEntry }) {
  const { Icon, label, color } = iconOf(entry)
  return (
    <Tooltip label={label}>
      <span style={{ display: 'inline-flex', verticalAlign: 'middle', color }}>
        <Icon size={16} aria-hidden />
        <VisuallyHidden>{label}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}

function iconOf({ level, kind, actor }: ActivityEntry) {
  const color = 'var(--text-3)'
  if (level === 'error') return { Icon: IconAlertCircle, label: 'Error', color: 'var(--red-text)' }
  if (level === 'warning') {
    return { Icon: IconAlertTriangle, label: 'Warning', color: 'var(--orange-text)' }
  }
  if (kind.startsWith('push.')) return { Icon: IconArrowDownLeft, label: 'Push', color }
  if (kind.startsWith('pull')) return { Icon: IconDownload, label: 'Pull', color }
  if (actor !== null) return { Icon: IconUser, label: 'Operator or program', color }
  return { Icon: IconSettings, label: 'Hub', color }
}
