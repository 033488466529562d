import { Button, Group, Text, TextInput, Title, Tooltip } from '@mantine/core'
import type { PlatformSummary, RecentPull } from '@recordhub/protocol'
import { IconPlugConnected, IconPlus, IconSearch, IconSelector } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { allCompletenessQuery } from '../../api/completeness.ts'
import { snapshot } from '../../api/live.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { Dot } from '../../components/dot.tsx'
import { EmptyState, NoMatches } from '../../components/empty-state.tsx'
import { FilterChip, FilterChips } from '../../components/filter-chip.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { useTabTitle } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { type PlatformSums, sumByPlatform } from '../overview/completeness-sums.ts'
import { PullNowButton } from '../pulls/pull-now-button.tsx'
import { filterPlatforms, HEALTH_LABELS, HEALTHS, isSort, type Sort } from './platform-list.ts'
import {
  Complete,
  firstSentence,
  HEALTH_COLORS,
  HealthLabel,
  pullsSummary,
} from './platform-state.tsx'
import { RemovalList } from './removal-list.tsx'
import { TestButton } from './test-button.tsx'

/** Rows of a page of the list. */
const PAGE = 100
const PHONE_WIDE = { base: '100%', sm: 'auto' }

export function PlatformsPage() {
  const platforms = usePlatforms({ live: true })
  const canRegister = useHasRole('operator')
  useTabTitle(TEXTS.platforms)
  const register = canRegister && (
    <LinkButton
      to="/dashboard/platforms/new"
      leftSection={<IconPlus size={16} aria-hidden />}
      w={PHONE_WIDE}
    >
      {TEXTS.registerAPlatform}
    </LinkButton>
  )
  return (
    <>
      <Group mb="sm" gap="xs">
        <Title order={1} fz="h2">
          {TEXTS.platforms}
        </Title>
        <span style={{ color: 'var(--text-3)' }}>
          {platforms.data && formatNumber(platforms.data.length)}
        </span>
        <Group gap="xs" ml="auto" w={PHONE_WIDE}>
          {platforms.data && platforms.data.length > 0 && (
            <>
              <Search />
              {register}
            </>
          )}
        </Group>
      </Group>
      {canRegister && <RemovalList />}
      <Loaded
        query={platforms}
        empty={(all) =>
          all.length === 0 && (
            <EmptyState
              icon={<IconPlugConnected />}
              title={TEXTS.noPlatformsRegistered}
              action={register || undefined}
            >
              A platform is a system whose records the hub stores. To register it, you need its base
              URL and a source API key from its owner.
            </EmptyState>
          )
        }
      >
        {(all) => <PlatformList all={all} />}
      </Loaded>
    </>
  )
}

function Search() {
  const [{ q = '' }, changeUrl] = useUrlState()
  return (
    <TextInput
      type="search"
      aria-label="Filter by title, name or address"
      placeholder="Name or address"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={q}
      w={{ ...PHONE_WIDE, sm: 200 }}
      onChange={({ currentTarget }) =>
        changeUrl({ q: currentTarget.value, cursor: null }, { replace: true })
      }
    />
  )
}

const column = columnsFor<PlatformSummary>()

function PlatformList({ all }: { all: readonly PlatformSummary[] }) {
  const [{ q = '', health = '', sort: by, direction, cursor }, changeUrl] = useUrlState()
  const navigate = useNavigate()
  const canOperate = useHasRole('operator')
  const sort: Sort = isSort(by) ? by : 'health'
  const descending = direction === 'desc'
  const shown = filterPlatforms(
    all,
    { text: q, health },
    { sort, direction: descending ? 'desc' : 'asc' },
  )
  const start = Number(cursor) < shown.length ? Math.max(0, Number(cursor)) : 0
  const { data: modules } = useQuery(allCompletenessQuery())
  const sums = modules && sumByPlatform(modules, all)
  const recent = useStore(snapshot)?.recent_pulls
  const countOf = (state: string) => all.filter((one) => one.health.state === state).length
  return (
    <>
      <FilterChips label={TEXTS.filters}>
        <FilterChip
          label={TEXTS.all}
          count={formatNumber(all.length)}
          isPressed={health === ''}
          onClick={() => changeUrl({ health: null, cursor: null })}
        />
        {HEALTHS.filter((state) => countOf(state) > 0 || state === health).map((state) => (
          <FilterChip
            key={state}
            dot={HEALTH_COLORS[state]}
            label={HEALTH_LABELS[state]}
            count={formatNumber(countOf(state))}
            isPressed={state === health}
            onClick={() => changeUrl({ health: state === health ? null : state, cursor: null })}
          />
        ))}
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          ml="auto"
          flex="none"
          rightSection={<IconSelector size={14} aria-hidden />}
          onClick={() =>
            changeUrl({
              sort: sort === 'health' && !descending ? 'title' : null,
              direction: null,
              cursor: null,
            })
          }
        >
          {sort === 'health' ? (descending ? 'Worst last' : 'Worst first') : `By ${SORTED[sort]}`}
        </Button>
      </FilterChips>
      <ListTable
        label={TEXTS.platforms}
        rows={shown.slice(start, start + PAGE)}
        idOf={({ id }) => id}
        empty={
          <NoMatches
            title={TEXTS.noMatchingPlatforms}
            onClear={() => changeUrl({ q: null, health: null, cursor: null })}
          />
        }
        sort={{
          by: sort,
          descending,
          onSort: ({ by, descending }) =>
            changeUrl({ sort: by, direction: descending ? 'desc' : null, cursor: null }),
        }}
        onOpen={({ id }) =>
          void navigate({ to: '/dashboard/platforms/$id', params: { id: String(id) } })
        }
        columns={[
          column.of(TEXTS.platform, titleCell, { sort: 'title', width: 190 }),
          column.of(
            'Health',
            (platform) => (
              <HealthCell
                platform={platform}
                sums={sums?.get(platform.platform_name)}
                pulls={recent?.find((one) => one.platform_id === platform.id)?.pulls ?? []}
              />
            ),
            { sort: 'health', phone: 'line' },
          ),
          column.of(
            'Complete',
            (platform) => (
              <Complete platform={platform} sums={sums?.get(platform.platform_name) ?? null} />
            ),
            { sort: 'records', width: 180, phone: 'line' },
          ),
          column.time(TEXTS.latestSync, ({ latest_sync_at }) => latest_sync_at, {
            sort: 'synced',
            exact: true,
            phone: 'none',
          }),
          column.time('Last accepted push', ({ last_push_at }) => last_push_at, {
            sort: 'pushed',
            width: 150,
            phone: 'none',
          }),
          column.of(
            TEXTS.modules,
            ({ modules_registered }) => `${formatNumber(modules_registered)} registered`,
            { sort: 'modules', width: 110, from: 'desktop', phone: 'none' },
          ),
          ...(canOperate
            ? [column.actions('Actions', actionCell, { width: 80, phone: 'end' })]
            : []),
        ]}
      />
      <Pager next={start + PAGE < shown.length ? String(start + PAGE) : null} isStale={false} />
    </>
  )
}

const SORTED: Readonly<Record<Sort, string>> = {
  title: 'title',
  health: 'health',
  records: 'records',
  synced: 'latest sync',
  pushed: 'last push',
  modules: 'modules',
}

function titleCell({ id, display_title, platform_name, health }: PlatformSummary) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Dot color={HEALTH_COLORS[health.state]} />
      <div style={{ minWidth: 0 }}>
        <PageLink
          to="/dashboard/platforms/$id"
          params={{ id: String(id) }}
          fw={550}
          c="inherit"
          fz="inherit"
        >
          {display_title}
        </PageLink>
        <Below>
          <code>{platform_name}</code>
        </Below>
      </div>
    </Group>
  )
}

/** The state, and below it the most urgent reason; the others on hover and focus. */
function HealthCell(props: {
  platform: PlatformSummary
  sums: PlatformSums | undefined
  pulls: readonly RecentPull[]
}) {
  const { platform, sums, pulls } = props
  const { health } = platform
  const [first] = health.reasons
  const label = health.reasons.map(({ code, message }) => (
    <div key={code}>
      <MessageText message={message} />
    </div>
  ))
  return (
    <>
      <Group gap={6}>
        <HealthLabel state={health.state} />
        {health.reasons.length > 1 && (
          <Text span c="dimmed" size="xs">{`${health.reasons.length} reasons`}</Text>
        )}
      </Group>
      {first ? (
        <Tooltip label={label} multiline maw={360}>
          <Text c="dimmed" fz="inherit" lineClamp={2} tabIndex={0}>
            <MessageText message={firstSentence(first.message)} />
          </Text>
        </Tooltip>
      ) : (
        <Text c="dimmed" fz="inherit">
          {sums && sums.accepted > 0
            ? formatCount(sums.accepted, 'accepted exception')
            : pullsSummary(pulls)}
        </Text>
      )}
    </>
  )
}

function actionCell(platform: PlatformSummary) {
  if (platform.status === 'inactive') return null
  if (platform.health.state !== 'failing') return <PullNowButton platform={platform} isIcon />
  return <TestButton platform={platform} label={TEXTS.test} size="xs" leftSection={null} />
}
