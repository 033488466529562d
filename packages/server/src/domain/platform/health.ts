/** The health of a platform: one definition for the page, the API, its events and `recordhub doctor`. */
import type { HealthReason, PlatformHealth, PlatformStatus } from '@recordhub/protocol'

/** What the hub has stored about a platform. */
export type HealthFacts = {
  status: PlatformStatus
  /** When a pull last read a module, and when a push was last accepted. */
  latest_sync_at: string | null
  last_push_at: string | null
  /** Registered modules, in the order of the manifest. Those of which nothing is wrong may be left out. */
  modules: readonly ModuleFacts[]
  /** The number of registered modules, if one of them has an error. */
  registered_modules: number
  recent_pushes: RecentPushes
  open_pushes: OpenPushes
  missing_reviews: number
  /** The open alert of a platform that usually pushes. */
  silent: { message: string; raised_at: string } | null
  /** A replaced key that the platform has used since the new one was created. */
  expiring_key: { hint: string; expires_at: string; replaced_at: string | null } | null
  /** Until when the certificate of the platform is valid, as a connection last read it; null without TLS. */
  certificate: { expires_at: string; read_at: string } | null
  now: string
}

type ModuleFacts = {
  module_name: string
  /** Why the last pull failed, and since when; null if it succeeded. */
  last_error: string | null
  failing_since: string | null
  /** Whether the last read does not prove that the hub has every record. */
  is_incomplete: boolean
  last_read_finished_at: string | null
  /** Rejected records of the last complete read that no operator has accepted. */
  open_rejections: number
}

/** Of the latest {@link RECENT_PUSHES} pushes, accepted or rejected for their content. */
type RecentPushes = { pushes: number; rejected: number; first_rejected_at: string | null }

/** Rejected pushes that are not replayed, counted up to a limit; `is_more`: there are more of them. */
type OpenPushes = { count: number; is_more: boolean; first_at: string | null }

const RECENT_PUSHES = 20
/** A first try that is rejected is not a failure yet. */
const MIN_REJECTED = 3

/** How long before its end a certificate needs attention. */
const CERTIFICATE_NOTICE_MS = 14 * 24 * 3_600_000

const FAILING: readonly HealthReason['code'][] = ['pulls_failing', 'pushes_rejected']

/**
 * *Failing*: the last pull of a module failed, or at least half of the latest 20 pushes were rejected, three or more, and
 * one of them is still open. *Needs attention*: any other reason. *New*: neither a pull has read anything, nor was a push
 * accepted.
 */
export function healthOf(facts: HealthFacts): PlatformHealth {
  if (facts.status === 'inactive') {
    return one('inactive', 'The platform is not pulled, and its pushes are rejected.')
  }
  const reasons = [
    ...findFailingPulls(facts),
    ...findRejectedPushes(facts),
    ...findOpenRejections(facts),
    ...findIncomplete(facts),
    ...findReviews(facts),
    ...findSilence(facts),
    ...findExpiringKey(facts),
    ...findExpiringCertificate(facts),
  ]
  if (reasons.some(({ code }) => FAILING.includes(code))) return { state: 'failing', reasons }
  if (reasons.length > 0) return { state: 'needs_attention', reasons }
  const isNew = facts.latest_sync_at === null && facts.last_push_at === null
  return isNew
    ? one('new', 'No push was accepted and no pull has read a module yet.')
    : { state: 'healthy', reasons }
}

function one(code: 'inactive' | 'new', message: string): PlatformHealth {
  return { state: code, reasons: [{ code, message, since: null }] }
}

function findFailingPulls({ modules, registered_modules }: HealthFacts): HealthReason[] {
  const failing = modules.filter(({ last_error }) => last_error !== null)
  const [first] = failing
  if (!first) return []
  const since = earliest(failing.map(({ failing_since }) => failing_since))
  const names =
    failing.length === registered_modules
      ? 'The last pull failed'
      : `The last pull of ${listNames(failing)} failed`
  return [{ code: 'pulls_failing', message: `${names}: ${first.last_error}`, since }]
}

export type PushFacts = Pick<HealthFacts, 'recent_pushes' | 'open_pushes'>

/** Whether the pushes of a platform make it failing. */
export function isRejectedMostly({ recent_pushes, open_pushes }: PushFacts): boolean {
  const { pushes, rejected } = recent_pushes
  return rejected >= MIN_REJECTED && 2 * rejected >= pushes && open_pushes.count > 0
}

function findRejectedPushes(facts: HealthFacts): HealthReason[] {
  if (!isRejectedMostly(facts)) return []
  const { pushes, rejected, first_rejected_at } = facts.recent_pushes
  const message = `${rejected} of the last ${pushes} pushes were rejected.`
  return [{ code: 'pushes_rejected', message, since: first_rejected_at }]
}

function findOpenRejections({ modules, open_pushes }: HealthFacts): HealthReason[] {
  const records = modules.reduce((sum, { open_rejections }) => sum + open_rejections, 0)
  const { count, is_more, first_at } = open_pushes
  const pushes = `${is_more ? 'more than ' : ''}${count === 1 ? 'one rejected push' : `${count} rejected pushes`}`
  const parts = [
    ...(count === 0 ? [] : [pushes]),
    ...(records === 0
      ? []
      : [records === 1 ? 'one rejected record' : `${records} rejected records`]),
  ]
  if (parts.length === 0) return []
  const verb = count + records === 1 ? 'is' : 'are'
  const message = `${capitalize(parts.join(' and '))} ${verb} neither corrected nor accepted.`
  return [{ code: 'rejections_open', message, since: first_at }]
}

function findIncomplete({ modules }: HealthFacts): HealthReason[] {
  const incomplete = modules.filter((module) => module.is_incomplete && module.last_error === null)
  if (incomplete.length === 0) return []
  const message = `The last pull does not prove that the hub has every record of ${listNames(incomplete)}.`
  const since = earliest(incomplete.map(({ last_read_finished_at }) => last_read_finished_at))
  return [{ code: 'modules_incomplete', message, since }]
}

function findReviews({ missing_reviews }: HealthFacts): HealthReason[] {
  if (missing_reviews === 0) return []
  const modules = missing_reviews === 1 ? 'one module' : `${missing_reviews} modules`
  const message = `Many records of ${modules} are missing. Review these records before they are marked missing.`
  return [{ code: 'review_pending', message, since: null }]
}

function findSilence({ silent }: HealthFacts): HealthReason[] {
  return silent ? [{ code: 'silent', message: silent.message, since: silent.raised_at }] : []
}

function findExpiringKey({ expiring_key }: HealthFacts): HealthReason[] {
  if (!expiring_key) return []
  const { hint, expires_at, replaced_at: since } = expiring_key
  const message = `The platform still pushes with the replaced hub API key ${hint}, which expires at ${expires_at}.`
  return [{ code: 'key_expiring', message, since, expires_at }]
}

function findExpiringCertificate({ certificate, now }: HealthFacts): HealthReason[] {
  if (!certificate) return []
  const { expires_at, read_at } = certificate
  const since = new Date(Date.parse(expires_at) - CERTIFICATE_NOTICE_MS).toISOString()
  if (since > now) return []
  const message = `The certificate of the platform, read at ${read_at}, expires at ${expires_at}. Renew it on the platform.`
  return [{ code: 'certificate_expiring', message, since, expires_at }]
}

/** `A`, `A and B`, `A, B and C`, and for more `A, B, C and 1 more`. */
function listNames(modules: readonly ModuleFacts[]): string {
  const names = modules.map(({ module_name }) => module_name)
  const rest = names.length > 3 ? [`${names.splice(3).length} more`] : names.splice(-1)
  return [...(names.length > 0 ? [names.join(', ')] : []), ...rest].join(' and ')
}

export function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce((least, time) => (least === null || (time && time < least) ? time : least))
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The latest rejections of a platform: the number of its accepted pushes by then, and the time; the oldest first. */
export type RecentRejection = readonly [accepted: number, at: string]

/** Adds rejections that have just happened. */
export function addRejections(
  known: readonly RecentRejection[],
  { count, accepted, at }: { count: number; accepted: number; at: string },
): RecentRejection[] {
  const added = Array.from(
    { length: Math.min(count, RECENT_PUSHES) },
    () => [accepted, at] as const,
  )
  return [...known, ...added].slice(-RECENT_PUSHES)
}

/**
 * How many of the latest pushes were rejected. It needs no work for accepted pushes: the number of accepted ones since a
 * rejection is a difference of two totals.
 */
export function countRecentPushes(
  rejections: readonly RecentRejection[],
  accepted: number,
): RecentPushes {
  let rejected = 0
  let first_rejected_at: string | null = null
  for (const [acceptedBefore, at] of rejections.toReversed()) {
    const since = Math.max(0, accepted - acceptedBefore) + rejected + 1
    if (since > RECENT_PUSHES) break
    rejected += 1
    first_rejected_at = at
  }
  const pushes = Math.min(RECENT_PUSHES, accepted + rejections.length)
  return { pushes, rejected, first_rejected_at }
}
