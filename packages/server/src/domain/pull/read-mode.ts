/** Whether a pull compares a module by digest, reads its list, or leaves it for now: pure. */
import type { FullBecause, PullMode } from '@recordhub/protocol'
import { isFullReadDue } from './unchanged.ts'

/** What earlier pulls have found about the versions and digests of a module. Times are RFC 3339 in UTC. */
export type DigestHistory = {
  verified_at: string | null
  verified_by: 'read' | 'digest' | null
  withdrawn_at: string | null
  unversioned: number | null
  unsupported_at: string | null
  unsupported_manifest_hash: string | null
  unstable_at: string | null
  unstable_manifest_hash: string | null
  asked_at: string | null
  digest_ms: number | null
  digest_failed_at: string | null
  list_failed_at: string | null
}

export type ReadModePlan =
  | { read: 'digest' }
  | { read: 'list'; because: FullBecause }
  /** The digest is not due or cannot be used now, and the list was read recently. */
  | { read: 'nothing'; because: 'digest_not_due' | 'no_digest' | 'not_stable' }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_HOURS = 7 * 24
/** A digest that takes 4 s is requested every 80 s: the platform spends 5 % of its time on it. */
const SHARE = 20

type ModeContext = {
  /** The mode of the pull. */
  requested: PullMode
  /** Whether an operator has requested the pull, which compares now. */
  isUrgent: boolean
  /** Whether an operator has approved that records of the module are missing, which only a read of the list marks. */
  isReviewApproved: boolean
  module_id: number
  full_read_at: string | null
  history: DigestHistory
  /** As `identifyManifest`. */
  manifest: string
  now: Date
  fullPullHours: number
}

export function planReadMode(context: ModeContext): ReadModePlan {
  const { requested, isUrgent, isReviewApproved, module_id, full_read_at, history, now } = context
  if (requested === 'full' || isReviewApproved) return { read: 'list', because: 'operator' }
  if (full_read_at === null) return { read: 'list', because: 'first' }
  const fullPullHours = hoursBetweenFullReads(context)
  const isDue = isFullReadDue({ module_id, full_read_at }, { now, fullPullHours })
  const isAllowed = !offersDigest(history) || mayReadInFull(context, now)
  if (isDue && isAllowed && requested !== 'digest') return { read: 'list', because: 'due' }
  const because = findObstacle(context)
  if (because !== null) return { read: isAllowed ? 'list' : 'nothing', because }
  const next = nextDigestAt(history)
  const isDigestDue = next === null || !isWithin(now, history.asked_at, next)
  if (isDigestDue || isUrgent || requested === 'digest') return { read: 'digest' }
  return isAllowed && history.digest_failed_at !== null
    ? { read: 'list', because: 'no_digest' }
    : { read: 'nothing', because: 'digest_not_due' }
}

/** Why the digest of a module is not requested; null if it may be. */
function findObstacle({
  requested,
  history,
  manifest,
  now,
}: Pick<ModeContext, 'requested' | 'history' | 'manifest' | 'now'>):
  | 'no_digest'
  | 'not_stable'
  | null {
  if (history.unversioned !== 0) return 'no_digest'
  if (requested === 'digest') return null
  if (isNotStable(history, manifest)) return 'not_stable'
  const { unsupported_at, unsupported_manifest_hash } = history
  if (unsupported_at === null || unsupported_manifest_hash !== manifest) return null
  return isWithin(now, unsupported_at, Date.parse(unsupported_at) + DAY_MS) ? 'no_digest' : null
}

/** Where digests have proved the same versions within a day, the list is read once a week. */
function hoursBetweenFullReads({ history, full_read_at, fullPullHours, now }: ModeContext): number {
  const { verified_at, verified_by, withdrawn_at, unversioned } = history
  const isVerified = verified_by === 'digest' && withdrawn_at === null && unversioned === 0
  const isSinceRead = verified_at !== null && full_read_at !== null && verified_at >= full_read_at
  const isRecent =
    verified_at !== null && isWithin(now, verified_at, Date.parse(verified_at) + DAY_MS)
  return isVerified && isSinceRead && isRecent ? Math.max(fullPullHours, WEEK_HOURS) : fullPullHours
}

/**
 * Whether versions change without a change of content, so that they are not used until the manifest changes.
 * @param manifest as `identifyManifest`.
 */
export function isNotStable(
  history: Pick<DigestHistory, 'unstable_at' | 'unstable_manifest_hash'>,
  manifest: string,
): boolean {
  return history.unstable_at !== null && history.unstable_manifest_hash === manifest
}

/** Whether the platform has responded with a digest. A 404 response takes that back. */
export function offersDigest(history: Pick<DigestHistory, 'digest_ms'>): boolean {
  return history.digest_ms !== null
}

/** Whether the list may be read where the platform offers a digest: at most once an hour, also if the last read of it failed. */
export function mayReadInFull(
  module: { full_read_at: string | null; history: Pick<DigestHistory, 'list_failed_at'> },
  now: Date,
): boolean {
  return [module.full_read_at, module.history.list_failed_at].every(
    (at) => at === null || !isWithin(now, at, Date.parse(at) + HOUR_MS),
  )
}

/** When the digest is requested again, in milliseconds; null if it was not requested yet. */
export function nextDigestAt({
  asked_at,
  digest_ms,
}: Pick<DigestHistory, 'asked_at' | 'digest_ms'>): number | null {
  return asked_at === null || digest_ms === null ? null : Date.parse(asked_at) + SHARE * digest_ms
}

/** Whether it is before `end` and not before `start`, which is later than now if the clock was set back. */
function isWithin(now: Date, start: string | null, end: number): boolean {
  return start !== null && now.getTime() >= Date.parse(start) && now.getTime() < end
}
