/**
 * The conditions of alerts: one pure function per kind. Messages contain RFC 3339 times, which the page formats in the
 * viewer's time zone and a mail in UTC.
 */
import type { AlertKind, HoldsSummary, MissingReview } from '@recordhub/protocol'
import { UNKNOWN_PLATFORM } from '../activity/push-errors.ts'
import { isRejectedMostly, type PushFacts } from '../platform/health.ts'
import {
  type AlertPlatform,
  type DiskSpace,
  type DurabilityRisk,
  type FoundAlert,
  findDurabilityRisks,
  findFailedJobs,
  type Job,
  type JobFailure,
  type OpenAlert,
  type ServerDurability,
} from './alert.ts'
import { hourOf, hourText, type PushBaselines } from './push-baseline.ts'

export type WatchedPlatform = AlertPlatform &
  PushFacts & {
    display_title: string
    created_at: string
    status: 'active' | 'inactive'
    last_error: string | null
    /** The number of consecutive pulls in which no module could be read, and the end of the first of them. */
    failures_in_row: number
    failing_since: string | null
  }

/** A module whose last pull failed: it could not be read, or none of its records was stored. */
export type ModuleFailure = {
  module_id: number
  platform_id: number
  module_name: string
  /** The error of the last pull. */
  last_error: string | null
  failures_in_row: number
  failing_since: string | null
}

export type AlertFacts = {
  now: Date
  platforms: WatchedPlatform[]
  failingModules: ModuleFailure[]
  baselines: PushBaselines
  /** The baselines of push errors per platform; `UNKNOWN_PLATFORM` for those that match none. */
  pushErrors: PushBaselines
  /** The first whole hour since the start of this process. The hub may have been down before it. */
  watchedFrom: number
  reviews: MissingReview[]
  /** The time of the first change that is not indexed; null if all changes are. */
  searchBehindSince: string | null
  /** The records with a hold that was made until `oldHoldsUntil`, and the time of the oldest hold. */
  holds: HoldsSummary
  disk: DiskSpace | null
  /** Null on SQLite. */
  durability: ServerDurability | null
  /** The last failure of each background job in this process. */
  jobFailures: ReadonlyMap<Job, JobFailure>
}

type WatchedKind = Exclude<AlertKind, 'mail_failing' | 'backup_failed' | 'backups_uncounted'>

/** The number of consecutive failed pulls that raises an alert: the first may be a restart of the platform. */
const FAILURES = 2
const HOUR_MS = 3_600_000
const OLD_HOLD_MS = 7 * 24 * HOUR_MS
const SEARCH_BEHIND_MS = HOUR_MS
/** A platform is silent after this many hours without a push in which it usually pushes. */
const MISSED_HOURS = 6
const MIN_REJECTED = 20
const RISE_FACTOR = 5
/** Hysteresis: an open alert is resolved at half of the threshold, or with a fifth more free disk space. */
const RESOLVE_FACTOR = 0.5
const DISK_RESOLVE_FACTOR = 1.2
const LOW_DISK_BYTES = 10 * 1024 ** 3
const LOW_DISK_SHARE = 0.1

type Condition = (facts: AlertFacts, findOpen: FindOpen) => FoundAlert[]
type FindOpen = (subject: string) => OpenAlert | undefined

const CONDITIONS: Readonly<Record<WatchedKind, Condition>> = {
  platform_failing: ({ platforms }, findOpen) =>
    platforms.flatMap((platform) => findFailing(platform, findOpen)),

  module_failing: ({ platforms, failingModules }, findOpen) => {
    const byId = new Map(platforms.map((platform) => [platform.platform_id, platform]))
    return failingModules.flatMap((module) => {
      const platform = byId.get(module.platform_id)
      return platform ? findFailingModule(module, platform, findOpen) : []
    })
  },

  platform_silent: (facts, findOpen) =>
    facts.platforms.flatMap((platform) => findSilent(platform, facts, findOpen)),

  rejected_rising: (facts, findOpen) =>
    facts.platforms.flatMap((platform) => findRising(platform, facts, findOpen)),

  push_errors_rising: (facts, findOpen) => findPushErrors(facts, findOpen),

  missing_review: ({ reviews, platforms }) => {
    const byName = new Map(platforms.map((platform) => [platform.platform_name, platform]))
    return reviews.map((review) => toReviewAlert(review, byName.get(review.platform_name)))
  },

  search_behind: (facts, findOpen) => findSearchBehind(facts, findOpen('search')),

  holds_open: ({ holds, now }) => findOldHolds(holds, now),

  disk_low: ({ disk }, findOpen) => (disk ? findLowDisk(disk, findOpen('disk')) : []),

  standby_asynchronous: ({ durability }) => toDurabilityAlerts('standby_asynchronous', durability),

  storage_not_synced: ({ durability }) => toDurabilityAlerts('storage_not_synced', durability),

  job_failed: ({ jobFailures, now }, findOpen) => findFailedJobs(jobFailures, now, findOpen),
}

/** All conditions that are true at the moment. Open alerts have lower thresholds, so that they do not flap. */
export function findAlerts(facts: AlertFacts, open: OpenAlert[]): FoundAlert[] {
  return WATCHED_KINDS.flatMap((kind) => {
    const ofKind = new Map(
      open.filter((alert) => alert.kind === kind).map((alert) => [alert.subject, alert]),
    )
    return CONDITIONS[kind](facts, (subject) => ofKind.get(subject))
  })
}

export const WATCHED_KINDS: readonly WatchedKind[] = [
  'platform_failing',
  'module_failing',
  'platform_silent',
  'rejected_rising',
  'push_errors_rising',
  'missing_review',
  'search_behind',
  'holds_open',
  'disk_low',
  'standby_asynchronous',
  'storage_not_synced',
  'job_failed',
]

function findFailing(platform: WatchedPlatform, findOpen: FindOpen): FoundAlert[] {
  if (platform.status !== 'active') return []
  const { display_title, failing_since, last_error, recent_pushes } = platform
  const isPullFailing = platform.failures_in_row >= FAILURES
  const messages = [
    ...(isRejectedMostly(platform)
      ? [
          `${recent_pushes.rejected} of the last ${recent_pushes.pushes} pushes of ${display_title} were rejected.`,
        ]
      : []),
    ...(isPullFailing && last_error !== null
      ? [`Pulls of ${display_title} have failed${formatSince(failing_since)}: ${last_error}`]
      : []),
  ]
  if (messages.length > 0) return [toFound('platform_failing', platform, messages.join(' '))]
  // A pull in progress has read a module. An open alert is resolved when that pull ends.
  const open = isPullFailing ? findOpen(String(platform.platform_id)) : undefined
  return open ? [open] : []
}

function formatSince(since: string | null): string {
  return since === null ? '' : ` since ${since}`
}

/** If the whole platform fails, only the alert of the platform is raised. */
function findFailingModule(
  module: ModuleFailure,
  platform: WatchedPlatform,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active' || module.failures_in_row < FAILURES) return []
  if (platform.failures_in_row >= FAILURES) return []
  const subject = String(module.module_id)
  if (platform.failures_in_row > 0 && !findOpen(subject)) return []
  const since = formatSince(module.failing_since)
  const message = `Pulls of ${module.module_name} of ${platform.display_title} have failed${since}, although those of other modules succeed: ${module.last_error ?? 'unknown'}`
  return [{ kind: 'module_failing', subject, platform: toPlatform(platform), message }]
}

function findSilent(
  platform: WatchedPlatform,
  { now, baselines, watchedFrom }: AlertFacts,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active') return []
  const lastPush = baselines.lastPush(platform.platform_id)
  const open = findOpen(String(platform.platform_id))
  if (open) {
    // An alert that was raised while the clock was ahead is resolved by a push of now.
    const raisedIn = Math.min(hourOf(new Date(open.raised_at)), hourOf(now))
    const hasPushed = lastPush !== null && lastPush >= raisedIn
    return hasPushed ? [] : [open]
  }
  if (lastPush === null) return []
  const from = Math.max(lastPush + 1, watchedFrom)
  if (baselines.hoursMissed(platform.platform_id, from) < MISSED_HOURS) return []
  const since = `${hourText(lastPush + 1)}:00:00.000Z`
  const message = `No push of ${platform.display_title} has been accepted since about ${since}, although it usually pushes at these hours.`
  return [toFound('platform_silent', platform, message)]
}

function findRising(
  platform: WatchedPlatform,
  { baselines }: AlertFacts,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active') return []
  const open = findOpen(String(platform.platform_id))
  const counts = baselines.rejected(platform.platform_id)
  if (!isRising(counts, open)) return []
  if (open) return [open]
  const { recent, usual } = counts
  const message = `${recent} pushes and pulled records of ${platform.display_title} were rejected within two hours; usually it is ${Math.ceil(usual)}.`
  return [toFound('rejected_rising', platform, message)]
}

/** At least 20 within two hours and more than five times as many as usual. An open alert is resolved at half of that. */
function isRising(
  { recent, usual }: { recent: number; usual: number },
  open: OpenAlert | undefined,
): boolean {
  const factor = open ? RESOLVE_FACTOR : 1
  return recent >= MIN_REJECTED * factor && recent > RISE_FACTOR * usual * factor
}

/** One alert per platform that may have sent the requests, and one for those that match no platform. */
function findPushErrors({ platforms, pushErrors }: AlertFacts, findOpen: FindOpen): FoundAlert[] {
  const find = (id: number, platform: AlertPlatform | null, senders: string): FoundAlert[] => {
    const subject = String(id)
    const open = findOpen(subject)
    const counts = pushErrors.rejected(id)
    if (!isRising(counts, open)) return []
    if (open) return [open]
    const { recent, usual } = counts
    const message = `${recent} requests ${senders} were rejected within two hours, because of an invalid key or an unreadable body; usually it is ${Math.ceil(usual)}.`
    return [{ kind: 'push_errors_rising', subject, platform, message }]
  }
  const active = platforms.filter(({ status }) => status === 'active')
  return [
    ...active.flatMap((platform) => {
      const senders = `that seem to come from ${platform.display_title}`
      return find(platform.platform_id, toPlatform(platform), senders)
    }),
    ...find(UNKNOWN_PLATFORM, null, 'of unknown senders'),
  ]
}

function toReviewAlert(review: MissingReview, platform: WatchedPlatform | undefined): FoundAlert {
  const { id, missing, records, module_name, platform_name } = review
  const title = platform?.display_title ?? platform_name
  return {
    kind: 'missing_review',
    subject: String(id),
    platform: platform ? toPlatform(platform) : null,
    message: `${missing} of ${records} records of ${module_name} of ${title} were missing from a pull. Review these records before they are marked as missing.`,
  }
}

/** Does not count the time before the start of this process, since the hub may have been down. */
function findSearchBehind(
  { now, watchedFrom, searchBehindSince }: AlertFacts,
  open: OpenAlert | undefined,
): FoundAlert[] {
  if (searchBehindSince === null) return []
  const changedAt = Date.parse(searchBehindSince)
  // The age of a change that was stored while the clock was ahead is unknown.
  const isKnown = changedAt <= now.getTime()
  const watchedAt = watchedFrom * HOUR_MS
  const since = isKnown ? (open ? changedAt : Math.max(changedAt, watchedAt)) : watchedAt
  if (now.getTime() - since < SEARCH_BEHIND_MS * (open ? RESOLVE_FACTOR : 1)) return []
  if (open) return [open]
  const message = `The search index is behind: changes since ${searchBehindSince} are not indexed.`
  return [{ kind: 'search_behind', subject: 'search', platform: null, message }]
}

/** Holds that were made at this time or before raise an alert. RFC 3339 in UTC. */
export function oldHoldsUntil(now: Date): string {
  return new Date(now.getTime() - OLD_HOLD_MS).toISOString()
}

function findOldHolds({ records, oldest_since }: HoldsSummary, now: Date): FoundAlert[] {
  if (oldest_since === null || oldest_since > oldHoldsUntil(now)) return []
  const held = records === 1 ? '1 record has' : `${records} records have`
  const message = `${held} been held for seven days or longer, the oldest since ${oldest_since}: their platforms still send what was taken back, or nothing else.`
  return [{ kind: 'holds_open', subject: 'holds', platform: null, message }]
}

function findLowDisk({ available, total }: DiskSpace, open: OpenAlert | undefined): FoundAlert[] {
  const low = lowDiskBytes(total)
  if (available >= low * (open ? DISK_RESOLVE_FACTOR : 1)) return []
  if (open) return [open]
  const message = `The disk with the data of the hub has ${formatGigabytes(available)} of ${formatGigabytes(total)} left.`
  return [{ kind: 'disk_low', subject: 'disk', platform: null, message }]
}

function toDurabilityAlerts(
  kind: DurabilityRisk['kind'],
  durability: ServerDurability | null,
): FoundAlert[] {
  return findDurabilityRisks(durability)
    .filter((risk) => risk.kind === kind)
    .map(({ setting, message }) => ({ kind, subject: setting, platform: null, message }))
}

/** The free space below which a disk of this size is low, in bytes. */
export function lowDiskBytes(total: number): number {
  return Math.min(LOW_DISK_BYTES, total * LOW_DISK_SHARE)
}

function toFound(kind: WatchedKind, platform: WatchedPlatform, message: string): FoundAlert {
  return { kind, subject: String(platform.platform_id), platform: toPlatform(platform), message }
}

function toPlatform({ platform_id, platform_name }: WatchedPlatform): AlertPlatform {
  return { platform_id, platform_name }
}

export function formatGigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}
