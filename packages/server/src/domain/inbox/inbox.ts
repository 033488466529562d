/** The inbox: one item for each fault that waits for a person. */
import type {
  Alert,
  ApiToken,
  HealthReason,
  InboxGroup,
  InboxItem,
  MissingReview,
  PlatformHealth,
  RejectedPushGroup,
} from '@recordhub/protocol'
import type { ErrorCode } from '../../errors.ts'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { formatCount } from '../activity/activity.ts'
import { matchSource, type PushErrorCount, type PushSource } from '../activity/push-errors.ts'
import { earliest } from '../platform/health.ts'

/** A registered module with keys that its manifest does not describe. */
export type DriftingModule = {
  platform_id: number
  record_type: string
  module_name: string
  keys: string[]
  first_at: string
  last_at: string
}

/** A registered module whose list and digest disagree. */
export type DisagreeingModule = {
  platform_id: number
  record_type: string
  module_name: string
  /** The number of buckets that they disagree about. */
  buckets: number
  /** The first record that the list contains of one of them, and its version; "" if their lists are empty. */
  reference_number: string
  version: string | null
  since: string
  last_at: string
}

/** What an operator put aside. `occurrence` identifies what the operator has seen of the fault. */
export type InboxMark = {
  key: string
  occurrence: string
  /** Until when the item is snoozed, also the time at which it was opened again; null if it is acknowledged. */
  until: string | null
  by: string
  at: string
}

export type InboxFacts = {
  now: string
  platforms: {
    platform_id: number
    platform_name: string
    display_title: string
    created_at: string
  }[]
  health: { id: number; health: PlatformHealth }[]
  alerts: Alert[]
  reviews: MissingReview[]
  groups: RejectedPushGroup[]
  /** Of the last day. */
  pushErrors: PushErrorCount[]
  pushSources: PushSource[]
  drift: DriftingModule[]
  disagreements: DisagreeingModule[]
  /** Those that are not revoked, also expired ones. */
  tokens: ApiToken[]
  /** The time of the newest backup; null if there is none. */
  newestBackup: string | null
}

/** A fault. With another `occurrence`, it is not the one that was acknowledged. */
export type Fault = Omit<InboxItem, 'put_aside'> & { occurrence: string; alert: Alert | null }

type Specific = Omit<Fault, 'alert_id' | 'alert'>
type FindPlatform = (platform: number | string | null) => InboxItem['platform']

/** A hub whose newest backup is older has an item. */
const BACKUP_DAYS = 7
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A token has an item for this time before it expires, and for this time after its last use if it expired since. */
const TOKEN_NOTICE_MS = 7 * DAY_MS
const MAX_NAMED_KEYS = 3
const GROUPS: readonly InboxGroup[] = ['failing', 'decision', 'soon']
/** What an item has if nothing else is known. */
const NOTHING = { missing_review_id: null, record_type: null, rejected: null, last_at: null }

/** Finds the faults, one for each. An alert about a fault that has an item of its own belongs to that item. */
export function findFaults(facts: InboxFacts): Fault[] {
  const find = createFindPlatform(facts)
  const specific: Specific[] = [
    ...facts.health.flatMap(({ id, health }) =>
      health.reasons.flatMap((reason) => fromHealth(reason, find(id), facts.now)),
    ),
    ...facts.reviews.map((review) => fromReview(review, find(review.platform_name))),
    ...facts.groups
      .filter(({ accepted_at }) => accepted_at === null)
      .map((group) => fromGroup(group, find(group.platform_name))),
    ...fromPushErrors(facts, find),
    ...facts.drift.map((module) => fromDrift(module, find(module.platform_id))),
    ...facts.disagreements.map((one) => fromDisagreement(one, find(one.platform_id))),
    ...fromTokens(facts),
    ...fromBackups(facts),
  ]
  const alertOf = new Map<Specific, Alert>()
  const others: Fault[] = []
  for (const alert of facts.alerts) {
    const owner = specific.find((one) => isAbout(alert, one))
    if (owner) alertOf.set(owner, alertOf.get(owner) ?? alert)
    else others.push(fromAlert(alert, find(alert.platform_name)))
  }
  const withAlerts = specific.map((one) => {
    const alert = alertOf.get(one) ?? null
    return { ...one, alert, alert_id: alert?.id ?? null }
  })
  return [...withAlerts, ...others]
}

/** The items in their groups: those that are not put aside first, then the most recent first, then by their keys. */
export function toItems(faults: Fault[], marks: InboxMark[], now: string): InboxItem[] {
  const byKey = new Map(marks.map((mark) => [mark.key, mark]))
  const items = faults.map(({ occurrence, alert, ...item }) => {
    const mark = byKey.get(item.key)
    // The later one decides: an item that was opened again is open, although its alert was acknowledged before.
    const isLater = mark !== undefined && mark.at >= (alert?.acknowledged_at ?? '')
    const acknowledged = isLater ? null : toAcknowledged(alert)
    return { ...item, put_aside: toPutAside(mark, occurrence, now) ?? acknowledged }
  })
  const rank = ({ put_aside, group }: InboxItem) =>
    (put_aside ? GROUPS.length : 0) + GROUPS.indexOf(group)
  const timeOf = ({ last_at, since }: InboxItem) => last_at ?? since ?? ''
  return items.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      compareCodePoints(timeOf(other), timeOf(one)) ||
      compareCodePoints(one.key, other.key),
  )
}

function toPutAside(
  mark: InboxMark | undefined,
  occurrence: string,
  now: string,
): InboxItem['put_aside'] {
  if (!mark) return null
  const { until, by, at } = mark
  if (until !== null) return until > now ? { as: 'snoozed', by, at, until } : null
  return mark.occurrence === occurrence ? { as: 'acknowledged', by, at, until } : null
}

function toAcknowledged(alert: Alert | null): InboxItem['put_aside'] {
  if (!alert?.acknowledged_at) return null
  const { acknowledged_by: by, acknowledged_at: at } = alert
  return { as: 'acknowledged', by: by ?? '', at, until: null }
}

function createFindPlatform({ platforms }: InboxFacts): FindPlatform {
  const found = new Map<number | string | null, InboxItem['platform']>()
  for (const { platform_id: id, platform_name, display_title: title } of platforms) {
    const platform = { id, platform_name, title }
    found.set(id, platform).set(platform_name, platform)
  }
  return (platform) => found.get(platform) ?? null
}

/** Whether an alert is about the fault of an item. */
function isAbout(alert: Alert, { kind, platform, missing_review_id }: Specific): boolean {
  if (alert.kind === 'missing_review') return alert.missing_review_id === missing_review_id
  if (platform === null || platform.platform_name !== alert.platform_name) return false
  switch (alert.kind) {
    case 'platform_failing':
      return kind === 'pulls_failing' || kind === 'rejected'
    case 'module_failing':
      return kind === 'pulls_failing'
    case 'rejected_rising':
      return kind === 'rejected'
    case 'push_errors_rising':
      return kind === 'push_errors'
    default:
      return false
  }
}

/** The reasons that no other item explains. */
function fromHealth(
  { code, message, since, expires_at }: HealthReason,
  platform: InboxItem['platform'],
  now: string,
): Specific[] {
  if (!platform) return []
  const item = { ...NOTHING, key: `${code} ${platform.id}`, reason: message, platform, since }
  if (code === 'pulls_failing') {
    const title = `${platform.title} cannot be read completely`
    return [{ ...item, kind: code, group: 'failing', title, occurrence: since ?? message }]
  }
  if (code !== 'key_expiring' && code !== 'certificate_expiring') return []
  const what = code === 'key_expiring' ? 'A hub API key' : 'A certificate'
  const title = `${what} ${expiryOf(expires_at ?? now, now)}`
  return [{ ...item, kind: code, group: 'soon', title, occurrence: expires_at ?? message }]
}

function expiryOf(expires_at: string, now: string): string {
  const hours = (Date.parse(expires_at) - Date.parse(now)) / HOUR_MS
  if (hours <= 0) return 'has expired'
  if (hours < 1) return 'expires within an hour'
  const [count, unit] = hours < 48 ? [hours, 'hour'] : [hours / 24, 'day']
  return `expires in ${formatCount(Math.round(count), unit)}`
}

function fromReview(review: MissingReview, platform: InboxItem['platform']): Specific {
  const { id, missing, records, module_name, record_type, at: since } = review
  return {
    ...{ ...NOTHING, key: `missing_review ${id}`, kind: 'missing_review', group: 'decision' },
    title: `${formatCount(missing, 'record')} of ${module_name} ${missing === 1 ? 'is' : 'are'} missing from the last complete pull`,
    // Records that were pushed during the pull are neither listed nor missing.
    reason: `A pull did not list ${missing} of ${records}. Nothing is marked before your decision.`,
    ...{ platform, since, missing_review_id: id, record_type, occurrence: String(id) },
  }
}

/** Why the pushes and records of a group were rejected, in the title; the reason says it in full. */
const CAUSES: Partial<Record<string, string>> = {
  invalid_record: 'invalid content',
  duplicate_reference: 'duplicate reference number',
  drift_rejected: 'not as the manifest describes',
  too_many_keys: 'too many keys',
  record_not_storable: 'the database cannot store it',
} satisfies Partial<Record<ErrorCode, string>>

/** `12 pushes rejected: the module "loans" was not registered`; it may be by now. */
function titleOf({ code, record_type, rejected_pushes: count, pulled }: RejectedPushGroup): string {
  const what = [
    ...(pulled < count ? [`${count - pulled} push${count - pulled === 1 ? '' : 'es'}`] : []),
    ...(pulled > 0 ? [formatCount(pulled, 'pulled record')] : []),
  ].join(' and ')
  if (code === 'module_not_registered') {
    return `${what} rejected: the module "${record_type}" was not registered`
  }
  const [type, cause] = [record_type === null ? '' : ` of ${record_type}`, CAUSES[code]]
  return `${what}${type} rejected${cause === undefined ? '' : `: ${cause}`}`
}

/** One for the rejections of one cause. */
function fromGroup(group: RejectedPushGroup, platform: InboxItem['platform']): Specific {
  const { platform_name, record_type, message, cause, rejected_pushes: count, digest } = group
  const { first_at: since, last_at } = group
  return {
    ...{ key: `rejected ${platform_name} ${cause}`, kind: 'rejected', group: 'decision' },
    title: titleOf(group),
    ...{ reason: message, platform, since, last_at, missing_review_id: null, record_type },
    ...{ rejected: { cause, count, digest }, occurrence: last_at },
  }
}

/** One for each platform that sent requests with an invalid key or an unreadable body. */
function fromPushErrors({ pushErrors, pushSources }: InboxFacts, find: FindPlatform): Specific[] {
  return pushSources.flatMap((source) => {
    const errors = pushErrors.filter((count) => matchSource(count, source) !== null)
    const platform = find(source.platform_id)
    if (errors.length === 0 || !platform) return []
    const requests = errors.reduce((sum, error) => sum + error.requests, 0)
    const last_at = errors.reduce(
      (last, error) => (error.last_at > last ? error.last_at : last),
      '',
    )
    const hours = errors.map(({ hour }) => hour).sort()
    return [
      {
        ...{
          ...NOTHING,
          key: `push_errors ${platform.id}`,
          kind: 'push_errors',
          group: 'decision',
        },
        title: `${formatCount(requests, 'request')} rejected before ${requests === 1 ? 'it was' : 'they were'} stored`,
        reason: 'An invalid key or an unreadable body, within the last day.',
        ...{ platform, since: `${hours[0]}:00:00.000Z`, last_at, occurrence: last_at },
      },
    ]
  })
}

function fromDrift(module: DriftingModule, platform: InboxItem['platform']): Specific {
  const { platform_id, record_type, module_name, keys, first_at: since, last_at } = module
  const more = keys.length - MAX_NAMED_KEYS
  const named = [...keys.slice(0, MAX_NAMED_KEYS), ...(more > 0 ? [`${more} more`] : [])]
  return {
    ...{ ...NOTHING, key: `drift ${platform_id} ${record_type}`, kind: 'drift', group: 'decision' },
    title: `${module_name} differs from its manifest`,
    reason: `${formatCount(keys.length, 'key')} of the records: ${named.join(', ')}`,
    ...{ platform, since, last_at, record_type, occurrence: keys.toSorted().join(' ') },
  }
}

function fromDisagreement(module: DisagreeingModule, platform: InboxItem['platform']): Specific {
  const { platform_id, record_type, module_name, buckets, since, last_at } = module
  const { reference_number, version } = module
  const first =
    reference_number === ''
      ? ''
      : `, such as that of reference ${reference_number}, version ${version ?? 'missing'}`
  return {
    ...{ ...NOTHING, key: `disagreement ${platform_id} ${record_type}`, group: 'decision' },
    kind: 'disagreement',
    title: `The list and the digest of ${module_name} disagree`,
    reason: `${formatCount(buckets, 'bucket')} of the digest ${buckets === 1 ? 'has' : 'have'} another number or sum than the list${first}. The platform owner must compute both from the same records, with the same expression for the version; a conformance check names the records. Until then, the hub does not claim that both sides are equal.`,
    ...{ platform, since, last_at, record_type },
    // It is stored, and an erasure would not find a reference in it.
    occurrence: `${buckets}`,
  }
}

/** One for each token that expires soon, or expired while a program used it. */
function fromTokens({ tokens, now }: InboxFacts): Specific[] {
  return tokens.flatMap((token) => {
    const { id, name, created_by, created_at, expires_at, last_used_at } = token
    if (expires_at === null || isReplaced(token, tokens)) return []
    const begin = addMs(expires_at, -TOKEN_NOTICE_MS)
    const hasExpired = expires_at <= now
    const isUnused = last_used_at === null || addMs(last_used_at, TOKEN_NOTICE_MS) <= now
    if (begin > now || (hasExpired && isUnused)) return []
    const use = last_used_at === null ? 'never used' : `last used at ${last_used_at}`
    return [
      {
        ...{ ...NOTHING, key: `token_expiring ${id}`, kind: 'token_expiring', group: 'soon' },
        title: `The API token "${name}" ${expiryOf(expires_at, now)}`,
        reason: `Created by ${created_by}, ${use}. ${hasExpired ? 'Since' : 'From'} ${expires_at}, the hub rejects requests with it. Give the program a new token, and revoke this one.`,
        ...{ platform: null, since: begin > created_at ? begin : created_at },
        occurrence: expires_at,
      },
    ]
  })
}

function addMs(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}

/** Whether a later token has the name and rights of this one, which nobody has used since. */
function isReplaced(token: ApiToken, tokens: readonly ApiToken[]): boolean {
  const { id, name, role, scope, created_by, last_used_at } = token
  return tokens.some(
    (other) =>
      other.id > id &&
      other.name === name &&
      other.role === role &&
      other.scope === scope &&
      other.created_by === created_by &&
      (last_used_at ?? '') <= other.created_at,
  )
}

/** A hub without platforms has nothing to back up. */
function fromBackups({ newestBackup, platforms, now }: InboxFacts): Specific[] {
  if (platforms.length === 0) return []
  const days =
    newestBackup === null ? null : Math.floor((Date.parse(now) - Date.parse(newestBackup)) / DAY_MS)
  if (days !== null && days < BACKUP_DAYS) return []
  return [
    {
      ...{ ...NOTHING, key: 'no_backup', kind: 'no_backup', group: 'soon', platform: null },
      title: days === null ? 'There is no backup' : `No backup for ${days} days`,
      reason: `The folder of backups ${days === null ? 'is empty' : 'has no newer one'}. Backups that a database server makes are not counted.`,
      // There is something to back up since the first platform.
      since: newestBackup ?? earliest(platforms.map(({ created_at }) => created_at)),
      occurrence: newestBackup ?? 'none',
    },
  ]
}

/** Alerts about something that works, but is at risk. */
const RISKS = [
  ...['standby_asynchronous', 'search_behind', 'holds_open', 'backups_uncounted'],
  'rejected_rising',
]

function fromAlert(alert: Alert, platform: InboxItem['platform']): Fault {
  const { id, kind, message, advice, raised_at: since, missing_review_id } = alert
  return {
    ...{ ...NOTHING, key: `alert ${id}`, kind: 'alert', platform, since, missing_review_id },
    group: RISKS.includes(kind) ? 'soon' : 'failing',
    ...{ title: message, reason: advice, alert_id: id, alert, occurrence: String(id) },
  }
}
