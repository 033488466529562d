/** The requests to the receiver in the last 24 hours: those of a platform, or all. */
import { Stack, Text, UnstyledButton } from '@mantine/core'
import { useWindowScroll } from '@mantine/hooks'
import type { LoggedRequest, LoggedRequestCounts } from '@recordhub/protocol'
import { IconArrowsDownUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useModules } from '../../api/platforms.ts'
import { countLabel, requestCountsQuery, requestsQuery } from '../../api/requests.ts'
import { EmptyState, NoMatches } from '../../components/empty-state.tsx'
import {
  FilterChip,
  FilterChips,
  FilterPlatform,
  FilterSelect,
  FilterTime,
} from '../../components/filter-chip.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager } from '../../components/pager.tsx'
import { Second } from '../../components/time.tsx'
import { moduleChoices } from '../../lib/choices.ts'
import { formatBytes, formatCount, formatLatency } from '../../lib/format.ts'
import { numberIn, type UrlChanges, useUrlState } from '../../lib/url-state.ts'
import { SearchInput } from '../activity/list-parts.tsx'
import { followOf } from './follow.ts'
import classes from './log.module.css'
import { FollowState, useFollowing } from './log-parts.tsx'
import { Outcome, RequestPanel, Status, subjectOf } from './request-panel.tsx'

/** The log has no index, so counting it reads all of it. */
const COUNT_INTERVAL_MS = 10_000
const FILTERS = ['status', 'record_type', 'request_id', 'since', 'until'] as const
const CLASSES = ['2xx', '4xx', '5xx'] as const

/** The tab of a platform. */
export function RequestsTab({ platform }: { platform: { platform_name: string } }) {
  return <Requests platform={platform.platform_name} />
}

/** @param platform its `platform_name`; without one, the URL may have it. */
export function Requests({ platform }: { platform?: string }) {
  const [state, change] = useUrlState()
  const [{ y }] = useWindowScroll()
  const follow = followOf({ ...state, line: '' }, y)
  const isFollowing = follow === 'following'
  const filter = {
    platform: platform ?? state['platform'],
    ...Object.fromEntries(FILTERS.map((name) => [name, state[name]])),
  }
  const query = useQuery(requestsQuery(filter, state['cursor'], isFollowing))
  const { isPlaceholderData } = query
  useFollowing(query, isFollowing)
  const opened = numberIn(state['request'])
  const filters = platform === undefined ? [...FILTERS, 'platform'] : FILTERS
  const isFiltered = filters.some((name) => state[name])
  const open = (id: number) => change({ request: String(id) })
  const table = (requests: LoggedRequest[] | undefined, empty?: ReactNode) => (
    <ListTable
      label="Requests"
      rows={requests}
      idOf={({ id }) => id}
      isStale={isPlaceholderData}
      isCurrent={({ id }) => id === opened}
      onOpen={({ id }) => open(id)}
      empty={empty}
      columns={columnsOf(platform === undefined, open)}
    />
  )
  const clear = () =>
    change({ ...Object.fromEntries(filters.map((name) => [name, null])), cursor: null })
  const icon = <IconArrowsDownUp />
  const none = isFiltered ? (
    <NoMatches icon={icon} title="No matching requests" onClear={clear} />
  ) : (
    <EmptyState icon={icon} title="No requests in the last 24 hours">
      Each request to the receiver appears here within two seconds, unless HUB_REQUEST_LOG_BYTES
      turns the log off.
    </EmptyState>
  )
  return (
    <>
      <RequestFilters platform={platform} filter={filter} isFollowing={isFollowing}>
        <FollowState follow={follow} />
      </RequestFilters>
      <div className={classes['split']} data-open={opened !== null || undefined}>
        <Stack gap="xs" miw={0}>
          <Loaded query={query} skeleton={table(undefined)}>
            {({ requests, next_cursor }) => (
              <>
                {table(requests, next_cursor === null && none)}
                <Pager next={next_cursor} isStale={isPlaceholderData} />
              </>
            )}
          </Loaded>
          <Text size="xs" c="dimmed">
            Requests are kept for 24 hours, and the oldest ones shorter if the log is full
            (HUB_REQUEST_LOG_BYTES). Latency is the time until the response was ready.
          </Text>
        </Stack>
        {opened !== null && (
          <RequestPanel key={opened} id={opened} onClose={() => change({ request: null })} />
        )}
      </div>
    </>
  )
}

function RequestFilters(props: {
  platform: string | undefined
  filter: UrlChanges
  isFollowing: boolean
  children: ReactNode
}) {
  const { platform, filter, isFollowing, children } = props
  const [state, change] = useUrlState()
  const { status } = state
  const { data } = useQuery({
    ...requestCountsQuery(filter),
    refetchInterval: isFollowing ? COUNT_INTERVAL_MS : false,
  })
  const countOf = (name: keyof LoggedRequestCounts['counts']) =>
    data === undefined ? '' : countLabel(data, name)
  const chip = (label: string, value: string | undefined, count?: string) => (
    <FilterChip
      key={label}
      label={label}
      {...(count === undefined ? {} : { count })}
      isPressed={status === value}
      onClick={() => change({ status: status === value ? null : value, cursor: null })}
    />
  )
  const isOther = status !== undefined && !CLASSES.some((one) => one === status)
  const modules = moduleChoices(useModules(filter['platform'] ?? null))
  return (
    <FilterChips label="Filters">
      {chip('All', undefined, countOf('all'))}
      {CLASSES.map((name) => chip(name, name, countOf(name)))}
      {isOther && chip(status, status)}
      {platform === undefined && <FilterPlatform />}
      <FilterSelect label="Module" name="record_type" choices={modules} />
      <FilterTime maxHours={24} />
      <SearchInput
        aria-label="Request ID"
        placeholder="Request ID"
        w={170}
        value={state['request_id'] ?? ''}
        onSearch={(text) =>
          change({ request_id: text.trim() || null, cursor: null }, { replace: true })
        }
      />
      {children}
    </FilterChips>
  )
}

const column = columnsFor<LoggedRequest>()

function columnsOf(hasPlatform: boolean, onOpen: (id: number) => void) {
  return [
    column.of(
      'Time',
      ({ id, at, skipped }) => (
        <>
          <UnstyledButton fz="inherit" onClick={() => onOpen(id)}>
            <Second at={at} milliseconds />
          </UnstyledButton>
          {skipped > 0 && <Below>{formatCount(skipped, 'earlier request')} not logged</Below>}
        </>
      ),
      { width: 140, phone: 'end' },
    ),
    column.of('Method', ({ method }) => <code>{method}</code>, { width: 80 }),
    column.of('Status', ({ status }) => <Status status={status} />, { width: 72 }),
    column.of('Latency', ({ latency_ms }) => formatLatency(latency_ms), {
      width: 84,
      align: 'right',
    }),
    column.of('Size', ({ size }) => (size === null ? '—' : formatBytes(size)), {
      width: 84,
      align: 'right',
      from: 'desktop',
      phone: 'none',
    }),
    ...(hasPlatform
      ? [
          column.platform('Platform', ({ platform_name }) => platform_name, {
            from: 'desktop',
            phone: 'none',
          }),
        ]
      : []),
    column.text('Reference', subjectOf, { phone: 'first' }),
    column.of('Outcome', (request) => <Outcome request={request} />, { width: 190, phone: 'end2' }),
  ]
}
