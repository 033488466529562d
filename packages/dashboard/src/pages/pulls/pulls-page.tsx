import { Stack, Switch, Text } from '@mantine/core'
import type { PullOutcome } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { snapshot, stateTime } from '../../api/live.ts'
import { useTitles } from '../../api/platforms.ts'
import { PULL_FILTERS, pullPageQuery } from '../../api/pulls.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { revertsByPullQuery } from '../../api/reverts.ts'
import { scheduleQuery } from '../../api/schedule.ts'
import { EmptyState, NoMatches } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import {
  FilterChip,
  FilterChips,
  FilterPlatform,
  FilterSelect,
  FilterTime,
} from '../../components/filter-chip.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Pager } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatNumber, formatSeconds } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { useNow } from '../../lib/use-now.ts'
import { TEXTS } from '../../texts.ts'
import { PauseButton, PullAllForm } from './pull-all-form.tsx'
import { columnsAt } from './pull-columns.tsx'
import { countMatches, type PullDay, toPullRows } from './pull-rows.ts'
import { useNewest } from './use-snapshot-pull.ts'

/** The history of pulls, and the schedule. */
export function PullsPage() {
  const { data } = useQuery(scheduleQuery())
  const canOperate = useHasRole('operator')
  return (
    <>
      <PageHeader title={TEXTS.pulls} description={<ScheduleText />}>
        {canOperate && (
          <LinkButton variant="default" to="/dashboard/reverts">
            Reverts
          </LinkButton>
        )}
        {data?.schedule.pattern && <PauseButton isPaused={data.schedule.paused} />}
        <PullAllForm />
      </PageHeader>
      <PullTable />
    </>
  )
}

/** The schedule of pulls, and when the next one starts. */
function ScheduleText() {
  const schedule = useQuery(scheduleQuery())
  const {
    pattern = null,
    paused,
    paused_since,
    paused_by,
    next_run_at,
  } = schedule.data?.schedule ?? {}
  const now = stateTime(useNow(next_run_at != null))
  const isClockKnown = useStore(snapshot) !== null
  if (errorInPlaceOfData(schedule)) return 'Could not load the schedule'
  if (!schedule.data) return 'Loading the schedule'
  if (pattern === null) return 'No schedule: pulls start only on request'
  if (paused) {
    return (
      <>
        Paused by <OperatorName by={paused_by ?? null} /> since <Time at={paused_since ?? null} />.
        Pushes go on.
      </>
    )
  }
  const label = scheduleLabel(pattern) || `Cron pattern ${pattern}`
  // Without a snapshot, the clock of the hub is unknown.
  if (next_run_at == null || !isClockKnown) return label
  return `${label}, the next in ${formatSeconds(Date.parse(next_run_at) - now)}`
}

const days = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit', year: 'numeric' })
const dayOf = (at: string | number) => days.format(new Date(at))

function dayLabel(at: string, now: number): string {
  const day = dayOf(at)
  if (day === dayOf(now)) return 'Today'
  return day === dayOf(now - 86_400_000) ? 'Yesterday' : day
}

/** All stored pulls, newest first. Neighbours that are alike fold. */
function PullTable() {
  const [state, change] = useUrlState()
  const { cursor = '', only = '', platform } = state
  const folds = state['fold'] !== 'no'
  const isFiltered = PULL_FILTERS.some((name) => state[name])
  const canOperate = useHasRole('operator')
  const reverts = useQuery({ ...revertsByPullQuery(), enabled: canOperate })
  const chips = CHIPS.filter(({ name }) => canOperate || name !== 'reverted')
  const outcome = chips.find(({ name }) => name === only)?.name ?? null
  const titles = useTitles()
  const page = useQuery(pullPageQuery(state, outcome))
  const { data, refetch, isPlaceholderData } = page
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const { newest, now } = useNewest()
  const navigate = useNavigate()
  const error = errorInPlaceOfData(page)
  const pages = { hasNewer: cursor !== '', hasOlder: data?.next_cursor != null }
  const isPart = pages.hasNewer || pages.hasOlder
  const isOpen = (id: string) => opened.has(id)
  const toggle = (id: string) => setOpened(new Set([id]).symmetricDifference(opened))
  const pulls = data?.pulls.map((pull) => ({ ...newest(pull), revert: reverts.data?.get(pull.id) }))
  return (
    <>
      <FilterChips label="Filters">
        <FilterChip
          label="All"
          {...(pulls && !isPart && !outcome ? { count: formatNumber(pulls.length) } : {})}
          isPressed={outcome === null && !isFiltered}
          onClick={() => change(NO_FILTERS)}
        />
        {chips.map(({ name, label }) => (
          <FilterChip
            key={name}
            label={label}
            {...(pulls && !isPart && (outcome === null || outcome === name)
              ? { count: formatNumber(countMatches(pulls, name)) }
              : {})}
            isPressed={outcome === name}
            onClick={() => change({ only: outcome === name ? null : name, cursor: null })}
          />
        ))}
        <FilterPlatform />
        <FilterSelect label="Started by" name="trigger" choices={STARTERS} />
        <FilterTime maxHours={720} />
        <Switch
          ml="auto"
          label="Fold repeats"
          labelPosition="left"
          checked={folds}
          onChange={(event) => change({ fold: event.currentTarget.checked ? null : 'no' })}
        />
      </FilterChips>
      <Stack gap="sm">
        {platform && (
          <Text size="xs" c="dimmed">
            Pulls that include {titles.ofPlatform(platform)}. The results and numbers are those of
            all platforms of a pull.
          </Text>
        )}
        {error && <ErrorNotice error={error} onRetry={refetch} title="Could not load the pulls" />}
        {!error && (
          <ListTable
            label={TEXTS.pulls}
            rows={pulls && toPullRows(pulls, isOpen, pages, dayOf, folds)}
            idOf={({ id }) => id}
            isStale={isPlaceholderData}
            empty={
              <NoPulls
                isFirstPage={cursor === ''}
                isFiltered={outcome !== null || isFiltered}
                onClear={() => change(NO_FILTERS)}
              />
            }
            onOpen={(row) =>
              row.kind === 'pull'
                ? void navigate({ to: '/dashboard/pulls/$id', params: { id: row.id } })
                : toggle(row.id)
            }
            headingOf={({ day }) => ({
              id: day.id,
              content: <Day day={day} now={now} isFiltered={outcome !== null || isFiltered} />,
            })}
            lookOf={(row) => (row.kind === 'fold' ? 'quiet' : row.isFolded ? 'sunken' : undefined)}
            columns={columnsAt(now, toggle)}
          />
        )}
        {data && data.pulls.length > 0 && (
          <Text size="xs" c="dimmed">
            Coloured: the pull in which it began. Later pulls repeat the number until someone
            decides.
          </Text>
        )}
        {data && <Pager next={data.next_cursor} isStale={isPlaceholderData} />}
      </Stack>
    </>
  )
}

const CHIPS: readonly { name: PullOutcome; label: string }[] = [
  { name: 'changed', label: 'With changes' },
  { name: 'failed', label: 'Failed' },
  { name: 'new_rejections', label: 'New rejections' },
  { name: 'newly_not_listed', label: 'Newly not listed' },
  { name: 'reverted', label: 'Reverted' },
]
const STARTERS = [
  { value: 'schedule', label: 'Schedule' },
  { value: 'operator', label: 'An operator' },
  { value: 'api', label: 'API or command line' },
]
const NO_FILTERS = Object.fromEntries(
  ['only', 'cursor', ...PULL_FILTERS].map((name) => [name, null]),
)

function Day({ day, now, isFiltered }: { day: PullDay; now: number; isFiltered: boolean }) {
  const { at, pulls, changed, isPart } = day
  return (
    <>
      {dayLabel(at, now)}{' '}
      <span>
        {formatCount(pulls, isFiltered ? 'matching pull' : 'pull')}
        {isPart && ' on this page'}, {formatNumber(changed)} with changes
      </span>
    </>
  )
}

function NoPulls(props: { isFirstPage: boolean; isFiltered: boolean; onClear: () => void }) {
  const { isFirstPage, isFiltered, onClear } = props
  const icon = <IconDownload />
  if (isFiltered) return <NoMatches icon={icon} title="No matching pulls" onClear={onClear} />
  if (!isFirstPage) {
    return (
      <EmptyState icon={icon} title="No older pulls">
        Pulls are deleted after the retention period.
      </EmptyState>
    )
  }
  const overview = (
    <LinkButton to="/dashboard" variant="light">
      {TEXTS.goToOverview}
    </LinkButton>
  )
  return (
    <EmptyState icon={icon} title={TEXTS.noPullsYet} action={overview}>
      After you have registered a platform, start a pull, or wait for the schedule.
    </EmptyState>
  )
}
