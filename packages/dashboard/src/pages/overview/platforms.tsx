import { Paper, Title } from '@mantine/core'
import type { PlatformSummary, RecentPull, Snapshot } from '@recordhub/protocol'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Ago, Clock, Time } from '../../components/time.tsx'
import { formatCode, formatCount, formatNumber, formatTime } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import { HEALTHS, type Health } from '../platforms/platform-list.ts'
import { TestButton } from '../platforms/test-button.tsx'
import { pullStateLabel } from '../pulls/pull-labels.ts'
import { PullNowButton } from '../pulls/pull-now-button.tsx'
import type { PlatformSums } from './completeness-sums.ts'
import classes from './overview.module.css'

/** Platforms that are shown even if they are healthy. */
const SHOWN = 12
const BARS = 30

const COLORS: Readonly<Record<Health, DotColor>> = {
  failing: 'red',
  needs_attention: 'orange',
  healthy: 'green',
  new: 'hollow',
  inactive: 'hollow',
}
const STATES: Readonly<Record<Health, string>> = {
  failing: 'failing',
  needs_attention: 'to look at',
  new: 'new',
  healthy: 'healthy',
  inactive: 'inactive',
}

/** A line for each platform, the worst first. */
export function Platforms({
  current: { platforms, recent_pulls, stats },
  sums,
}: {
  current: Snapshot
  sums: ReadonlyMap<string, PlatformSums> | null
}) {
  const sorted = platforms.toSorted(
    (one, other) =>
      HEALTHS.indexOf(one.health.state) - HEALTHS.indexOf(other.health.state) ||
      one.display_title.localeCompare(other.display_title),
  )
  const bad = sorted.filter(({ health: { state } }) => state === 'failing').length
  const shown = sorted.slice(0, Math.max(SHOWN, bad))
  const rest = stats.platforms - shown.length
  const pulls = new Map(recent_pulls.map((one) => [one.platform_id, one.pulls]))
  return (
    <section className={classes['section']} aria-label={TEXTS.platforms}>
      <div className={classes['head']}>
        <Title order={2} fz="md">
          {TEXTS.platforms}
        </Title>
        <span>{countsOf(sorted)}</span>
        <LinkButton
          className={classes['end'] ?? ''}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          to="/dashboard/platforms/new"
        >
          {TEXTS.registerAPlatform}
        </LinkButton>
      </div>
      <Paper withBorder>
        <ul className={classes['list']}>
          {shown.length > 0 && (
            <li aria-hidden>
              <div className={`${classes['platform']} ${classes['columns']}`}>
                <span />
                <span>Platform</span>
                <span>Last {BARS} pulls</span>
                <span>Complete</span>
                <span>{TEXTS.latestSync}</span>
                <span className={classes['pushed']}>Last push</span>
              </div>
            </li>
          )}
          {shown.map((platform) => (
            <PlatformLine
              key={platform.id}
              platform={platform}
              pulls={pulls.get(platform.id) ?? []}
              sums={sums?.get(platform.platform_name) ?? null}
            />
          ))}
          {rest > 0 && (
            <li className={classes['footLine']}>
              <Link to="/dashboard/platforms" style={{ color: 'var(--accent-text)' }}>
                {formatCount(rest, 'more platform')}
              </Link>
            </li>
          )}
          {platforms.length === 0 && (
            <li className={classes['footLine']}>{TEXTS.noPlatformsRegistered}</li>
          )}
        </ul>
      </Paper>
    </section>
  )
}

/** `1 failing, 7 healthy`. */
function countsOf(platforms: readonly PlatformSummary[]): string {
  return HEALTHS.flatMap((state) => {
    const { length } = platforms.filter(({ health }) => health.state === state)
    return length === 0 ? [] : [`${length} ${STATES[state]}`]
  }).join(', ')
}

function PlatformLine({
  platform,
  pulls,
  sums,
}: {
  platform: PlatformSummary
  pulls: readonly RecentPull[]
  sums: PlatformSums | null
}) {
  const { id, display_title, health, latest_sync_at, last_push_at, status } = platform
  return (
    <li className={classes['platform']} data-state={health.state}>
      <Dot color={COLORS[health.state]} />
      <Link
        to="/dashboard/platforms/$id"
        params={{ id: String(id) }}
        className={`${classes['name']} ${classes['plain']}`}
      >
        {display_title}
      </Link>
      <PullBars pulls={pulls} />
      <span className={classes['complete']}>
        <Complete platform={platform} sums={sums} />
      </span>
      <span className={classes['synced']}>
        <span className={classes['label']}>{TEXTS.latestSync} </span>
        <Time at={latest_sync_at} />
      </span>
      <span className={classes['pushed']}>
        <span className={classes['label']}>push </span>
        <Ago at={last_push_at} />
      </span>
      <span className={classes['act']}>
        {status === 'active' &&
          (health.state === 'failing' ? (
            <TestButton
              platform={platform}
              label={TEXTS.test}
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={null}
            />
          ) : (
            <PullNowButton platform={platform} isIcon />
          ))}
      </span>
    </li>
  )
}

/** How much of what the platform lists is here. */
function Complete({
  platform: { status, records },
  sums,
}: {
  platform: PlatformSummary
  sums: PlatformSums | null
}) {
  if (status === 'inactive') {
    return <span className={classes['quiet']}>Inactive, {formatNumber(records)} kept</span>
  }
  if (sums === null) return null
  const { failed, missing, listed, here, accepted, unread, unequal, comparedAt } = sums
  if (failed.modules > 0) {
    return (
      <span className={classes['red']}>
        {failed.verifiedAt === null ? (
          'Not verified'
        ) : (
          <>
            Last verified <Clock at={failed.verifiedAt} />
          </>
        )}
      </span>
    )
  }
  if (missing > 0) {
    return <span className={classes['orange']}>{formatNumber(missing)} missing</span>
  }
  if (comparedAt === null || unread > 0)
    return <span className={classes['quiet']}>Not pulled yet</span>
  if (here < listed || unequal > 0) {
    return (
      <span className={classes['orange']}>
        {formatNumber(here)} of {formatNumber(listed)}
        {here === listed && ', not verified'}
      </span>
    )
  }
  if (accepted > 0) {
    return (
      <>
        {formatNumber(here)}{' '}
        <span className={classes['quiet']}>and {formatNumber(accepted)} accepted</span>
      </>
    )
  }
  return `${formatNumber(here)} of ${formatNumber(listed)}`
}

const BAR_STATES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  attention: 'partial',
  partial: 'partial',
  failed: 'failed',
  timed_out: 'failed',
  interrupted: 'stopped',
  not_reached: 'stopped',
  cancelled: 'stopped',
  skipped: 'stopped',
}

/** The last pulls of a platform, the latest at the right. An issue is orange in the pull in which its count changed. */
function PullBars({ pulls }: { pulls: readonly RecentPull[] }) {
  const slots = Array.from({ length: BARS }, (_, index) => {
    const at = BARS - 1 - index
    return { pull: pulls[at] ?? null, before: pulls[at + 1] ?? null }
  })
  return (
    <span className={classes['bars']} role="img" aria-label={barsLabel(pulls)}>
      {slots.map(({ pull, before }, index) => (
        <i
          key={pull?.pull_id ?? `none ${index}`}
          data-state={pull ? barState(pull, before) : 'none'}
          title={pull ? titleOf(pull) : undefined}
        />
      ))}
    </span>
  )
}

function barState(pull: RecentPull, before: RecentPull | null): string {
  const status = pullStateLabel(pull.state, pull).status
  const isRepeated =
    status === 'attention' &&
    before?.rejected === pull.rejected &&
    before.not_listed === pull.not_listed
  return isRepeated ? 'good' : (BAR_STATES[status] ?? 'none')
}

function titleOf(pull: RecentPull): string {
  const { pull_id, state, finished_at } = pull
  const end = finished_at ? `, ${formatTime(finished_at, { seconds: true })}` : ''
  return `Pull ${pull_id}: ${pullStateLabel(state, pull).label.toLowerCase()}${end}`
}

function barsLabel(pulls: readonly RecentPull[]): string {
  if (pulls.length === 0) return TEXTS.noPullsYet
  const counts = Map.groupBy(pulls, (pull) =>
    pullStateLabel(pull.state, pull).status === 'attention'
      ? 'succeeded with rejected or unlisted records'
      : formatCode(pull.state).toLowerCase(),
  )
  const labels = [...counts].map(([label, { length }]) => `${length} ${label}`)
  const last = pulls.length === 1 ? 'pull' : formatCount(pulls.length, 'pull')
  return `The last ${last}: ${labels.join(', ')}`
}
