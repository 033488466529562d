/**
 * When an alert is found: a table of conditions, each a pure decision on what the hub knows. Messages contain
 * instants as RFC 3339, which each reader of alerts formats: the page in the viewer's time zone, a mail in UTC.
 */
import type { AlertKind, MissingReview } from '@recordhub/protocol'
import { UNKNOWN_PLATFORM } from '../activity/push-errors.ts'
import type { AlertPlatform, DiskSpace, FoundAlert, OpenAlert } from './alert.ts'
import { hourText, type PushBaselines } from './push-baseline.ts'

export type PlatformHealth = AlertPlatform & {
  display_title: string
  status: 'active' | 'inactive'
  last_error: string | null
  /** Pulls in a row in which nothing of it could be read, and when the first of them ended. */
  failures_in_row: number
  failing_since: string | null
}

/** A module that could not be read when it was last asked for. */
export type ModuleFailure = {
  module_id: number
  platform_id: number
  module_name: string
  /** What was wrong. */
  trouble: string | null
  failures_in_row: number
  failing_since: string | null
}

/** What the conditions go by. */
export type AlertFacts = {
  now: Date
  platforms: PlatformHealth[]
  failingModules: ModuleFailure[]
  rhythms: PushBaselines
  /** Requests to the receiver that were rejected without storing anything of them; `UNKNOWN_PLATFORM` where none matches. */
  pushErrors: PushBaselines
  /** The first whole hour that this process has watched: what was not pushed before it may be its own fault. */
  watchedFrom: number
  /** Those without an answer. */
  reviews: MissingReview[]
  /** When the first change was made that the search does not know yet; null where it knows all. */
  searchBehindSince: string | null
  disk: DiskSpace | null
}

export type WatchedKind = Exclude<AlertKind, 'mail_failing'>

/** Every few minutes the schedule asks, every day, or never: so many in a row, or fewer over an hour. */
const FAILURES = 5
const FAILURES_OVER_AN_HOUR = 2
const HOUR_MS = 3_600_000
const SEARCH_BEHIND_MS = HOUR_MS
/** So many hours in which it usually pushes must pass without a push. */
const MISSED_HOURS = 6
const FEWEST_REJECTED = 20
const TIMES_USUAL = 5
/** What has been raised stays so until it is half as bad, and a disk until it has a fifth more. */
const KEPT_FROM = 0.5
const DISK_SLACK = 1.2
const LOW_DISK_BYTES = 10 * 1024 ** 3
const LOW_DISK_SHARE = 0.1

type Condition = (facts: AlertFacts, findOpen: FindOpen) => FoundAlert[]
type FindOpen = (subject: string) => OpenAlert | undefined

const CONDITIONS: Readonly<Record<WatchedKind, Condition>> = {
  platform_failing: ({ now, platforms }, findOpen) =>
    platforms.flatMap((platform) => findFailing(platform, now, findOpen)),

  module_failing: ({ now, platforms, failingModules }, findOpen) => {
    const byId = new Map(platforms.map((platform) => [platform.platform_id, platform]))
    return failingModules.flatMap((module) => {
      const platform = byId.get(module.platform_id)
      return platform ? findFailingModule(module, platform, now, findOpen) : []
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

  disk_low: ({ disk }, findOpen) => (disk ? findLowDisk(disk, findOpen('disk')) : []),
}

/** Everything that is so at the moment. What is open already stays so a little longer, lest it flutters. */
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
  'disk_low',
]

type Failures = Pick<PlatformHealth, 'failures_in_row' | 'failing_since'>

function failsForLong({ failures_in_row, failing_since }: Failures, now: Date): boolean {
  if (failures_in_row >= FAILURES) return true
  if (failures_in_row < FAILURES_OVER_AN_HOUR || failing_since === null) return false
  return now.getTime() - Date.parse(failing_since) >= HOUR_MS
}

function findFailing(platform: PlatformHealth, now: Date, findOpen: FindOpen): FoundAlert[] {
  if (platform.status !== 'active' || !failsForLong(platform, now)) return []
  const { display_title, failing_since, last_error } = platform
  if (last_error === null) {
    // A pull that is under way could read something of it: its end tells.
    const open = findOpen(String(platform.platform_id))
    return open ? [open] : []
  }
  const message = `Nothing of ${display_title} could be read${sinceInWords(failing_since)}: ${last_error}`
  return [toFound('platform_failing', platform, message)]
}

function sinceInWords(since: string | null): string {
  return since === null ? '' : ` since ${since}`
}

/** Where nothing of its platform can be read, that is what is told. */
function findFailingModule(
  module: ModuleFailure,
  platform: PlatformHealth,
  now: Date,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active' || !failsForLong(module, now)) return []
  if (failsForLong(platform, now)) return []
  const subject = String(module.module_id)
  if (platform.failures_in_row > 0 && !findOpen(subject)) return []
  const since = sinceInWords(module.failing_since)
  const message = `${module.module_name} of ${platform.display_title} could not be read${since}, though other modules could: ${module.trouble ?? 'unknown'}`
  return [{ kind: 'module_failing', subject, platform: toPlatform(platform), message }]
}

function findSilent(
  platform: PlatformHealth,
  { rhythms, watchedFrom }: AlertFacts,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active') return []
  const lastPush = rhythms.lastPush(platform.platform_id)
  const open = findOpen(String(platform.platform_id))
  if (open) {
    const hasPushed = lastPush !== null && hourText(lastPush) >= open.raised_at.slice(0, 13)
    return hasPushed ? [] : [open]
  }
  if (lastPush === null) return []
  const from = Math.max(lastPush + 1, watchedFrom)
  if (rhythms.hoursMissed(platform.platform_id, from) < MISSED_HOURS) return []
  const since = `${hourText(lastPush + 1)}:00:00.000Z`
  const message = `${platform.display_title} has pushed nothing since about ${since}, though it usually does at these hours.`
  return [toFound('platform_silent', platform, message)]
}

function findRising(
  platform: PlatformHealth,
  { rhythms }: AlertFacts,
  findOpen: FindOpen,
): FoundAlert[] {
  if (platform.status !== 'active') return []
  const open = findOpen(String(platform.platform_id))
  const counts = rhythms.rejected(platform.platform_id)
  if (!isRising(counts, open)) return []
  if (open) return [open]
  const { lately, usual } = counts
  const message = `${lately} pushes and pulled records of ${platform.display_title} were refused within two hours; usually it is ${Math.ceil(usual)}.`
  return [toFound('rejected_rising', platform, message)]
}

/** At least 20 within two hours and more than five times as many as usual; until it is half as many. */
function isRising(
  { lately, usual }: { lately: number; usual: number },
  open: OpenAlert | undefined,
): boolean {
  const share = open ? KEPT_FROM : 1
  return lately >= FEWEST_REJECTED * share && lately > TIMES_USUAL * usual * share
}

/** By the platform that may have sent the requests, and in all of those that match no platform. */
function findPushErrors({ platforms, pushErrors }: AlertFacts, findOpen: FindOpen): FoundAlert[] {
  const find = (id: number, platform: AlertPlatform | null, senders: string): FoundAlert[] => {
    const subject = String(id)
    const open = findOpen(subject)
    const counts = pushErrors.rejected(id)
    if (!isRising(counts, open)) return []
    if (open) return [open]
    const { lately, usual } = counts
    const message = `${lately} requests ${senders} were rejected within two hours, because of an invalid key or an unreadable body; usually it is ${Math.ceil(usual)}.`
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

function toReviewAlert(review: MissingReview, platform: PlatformHealth | undefined): FoundAlert {
  const { id, missing, records, module_name, platform_name } = review
  const title = platform?.display_title ?? platform_name
  return {
    kind: 'missing_review',
    subject: String(id),
    platform: platform ? toPlatform(platform) : null,
    message: `${missing} of ${records} records of ${module_name} of ${title} did not come in a pull. None is marked as missing until somebody says whether they are gone.`,
  }
}

/** What was not indexed before this process was there may be the fault of a hub that was stopped. */
function findSearchBehind(
  { now, watchedFrom, searchBehindSince }: AlertFacts,
  open: OpenAlert | undefined,
): FoundAlert[] {
  if (searchBehindSince === null) return []
  const changedAt = Date.parse(searchBehindSince)
  const since = open ? changedAt : Math.max(changedAt, watchedFrom * HOUR_MS)
  if (now.getTime() - since < SEARCH_BEHIND_MS * (open ? KEPT_FROM : 1)) return []
  if (open) return [open]
  const message = `The search is behind: it does not know what has changed since ${searchBehindSince}.`
  return [{ kind: 'search_behind', subject: 'search', platform: null, message }]
}

function findLowDisk({ available, total }: DiskSpace, open: OpenAlert | undefined): FoundAlert[] {
  const low = Math.min(LOW_DISK_BYTES, total * LOW_DISK_SHARE)
  if (available >= low * (open ? DISK_SLACK : 1)) return []
  if (open) return [open]
  const message = `The disk of the hub's data has ${inGigabytes(available)} left of ${inGigabytes(total)}.`
  return [{ kind: 'disk_low', subject: 'disk', platform: null, message }]
}

function toFound(kind: WatchedKind, platform: PlatformHealth, message: string): FoundAlert {
  return { kind, subject: String(platform.platform_id), platform: toPlatform(platform), message }
}

function toPlatform({ platform_id, platform_name }: PlatformHealth): AlertPlatform {
  return { platform_id, platform_name }
}

function inGigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}
