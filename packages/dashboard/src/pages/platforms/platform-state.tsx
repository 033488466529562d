/** The state of a platform: its health, what is here of it, and its last pulls. */
import { Text } from '@mantine/core'
import type { PlatformSummary, RecentPull } from '@recordhub/protocol'
import type { DotColor } from '../../components/dot.tsx'
import { Ago, Clock } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCode, formatCount, formatNumber, formatTime } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import type { PlatformSums } from '../overview/completeness-sums.ts'
import { pullStateLabel } from '../pulls/pull-labels.ts'
import { HEALTH_LABELS, type Health } from './platform-list.ts'
import classes from './platform-state.module.css'

export const HEALTH_COLORS: Readonly<Record<Health, DotColor>> = {
  failing: 'red',
  needs_attention: 'orange',
  healthy: 'green',
  new: 'hollow',
  inactive: 'hollow',
}
const TEXT_COLORS: Readonly<Record<Health, string>> = {
  failing: 'var(--red-text)',
  needs_attention: 'var(--orange-text)',
  healthy: 'var(--text-2)',
  new: 'var(--text-3)',
  inactive: 'var(--text-3)',
}

/** The word for the health, in its colour. */
export function HealthLabel({ state }: { state: Health }) {
  return (
    <Text span inherit fw={550} c={TEXT_COLORS[state]}>
      {HEALTH_LABELS[state]}
    </Text>
  )
}

/** What happened, in few words. What to do about it is in the tooltip and on the page of the platform. */
export function firstSentence(message: string): string {
  const [first = message] = message.split('. ')
  return first.replace(/^The last pull failed: /, '').replace(/\.$/, '')
}

type CompleteProps = { platform: PlatformSummary; sums: PlatformSums | null }

/** How much of what the platform lists is here. */
export function Complete({ platform: { status, records }, sums }: CompleteProps) {
  if (status === 'inactive') return <Tinted color="faint">{formatNumber(records)} kept</Tinted>
  if (sums === null) return null
  const { failed, missing, listed, here, accepted, held, unread, unequal, comparedAt } = sums
  if (failed.modules > 0) {
    return (
      <Tinted color="red">
        {failed.verifiedAt === null ? 'Not verified' : 'Last verified '}
        {failed.verifiedAt !== null && <Clock at={failed.verifiedAt} />}
      </Tinted>
    )
  }
  if (missing > 0) return <Tinted color="orange">{formatNumber(missing)} not listed</Tinted>
  if (comparedAt === null || unread > 0) return <Tinted color="faint">Not pulled yet</Tinted>
  if (here < listed || unequal > 0) {
    return (
      <Tinted color="orange">
        {formatNumber(here)} of {formatNumber(listed)}
        {here === listed && (held > 0 ? `, ${formatNumber(held)} held` : ', not verified')}
      </Tinted>
    )
  }
  if (accepted > 0) {
    return (
      <>
        {formatNumber(here)} <Tinted color="faint">and {formatNumber(accepted)} accepted</Tinted>
      </>
    )
  }
  return `${formatNumber(here)} of ${formatNumber(listed)}`
}

/** When the last push was accepted, and how many rejected ones are open. */
export function LastPush({ platform }: { platform: PlatformSummary }) {
  const { last_push_at, rejected_pushes: rejected } = platform
  return (
    <>
      <Ago at={last_push_at} />
      {rejected > 0 && (
        <Tinted color="orange">
          {last_push_at !== null && ','} {formatNumber(rejected)} rejected
        </Tinted>
      )}
    </>
  )
}

export const BARS = 30

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
export function PullBars({ pulls }: { pulls: readonly RecentPull[] }) {
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

/** `The last 30 pulls succeeded`, or how many of them did not. */
export function pullsSummary(pulls: readonly RecentPull[]): string {
  const bad = pulls.filter(({ state }) => state !== 'succeeded').length
  if (pulls.length === 0) return TEXTS.noPullsYet
  if (bad > 0) return `${bad} of the last ${formatCount(pulls.length, 'pull')} did not succeed`
  return pulls.length === 1 ? 'The last pull succeeded' : `The last ${pulls.length} pulls succeeded`
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
