/** Compares a module with the digest of its platform, and decides which of its buckets the pull reads. */
import {
  addUp,
  type Buckets,
  chooseDigits,
  type DifferingBucket,
  findDiffering,
  hasEqualTotals,
  type KnownDifference,
  limitRequests,
  planRead,
  planRefinement,
  plus,
  type ReadPlan,
  type RequestLimits,
  replaceRefined,
  type Sums,
  toBuckets,
  toRequests,
  UNVERSIONED_SUM,
} from '../../domain/pull/digest.ts'
import type { PullStop } from '../../domain/pull/pull.ts'
import { offersDigest } from '../../domain/pull/read-mode.ts'
import { HubError } from '../../errors.ts'
import { startStopwatch } from '../../lib/time/stopwatch.ts'
import type { DigestQuery } from '../../platform-client/records/records-digest.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type {
  DigestStore,
  ModuleDigest,
  RememberedBucket,
} from '../../storage/port/digest-store.ts'
import type { ModuleRef } from '../../storage/port/record-list-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { PullTaskContext } from './pull-task-accumulator.ts'

export type ComparisonDeps = Pick<FeatureDeps, 'digests' | 'client' | 'clock'>

export type Comparison = {
  outcome: 'compared'
  /** The digits of the first request. */
  digits: number
  /** All buckets of the platform, with the latest sums that it has sent. */
  remote: Buckets
  /** The number of records of the platform. */
  records: number
  /** The buckets of the hub, with the digits of the first request. */
  local: Buckets
  /** The number of present records of the hub, those that are in no bucket included. */
  present: number
  /** The buckets of the first request that differ. */
  differing: DifferingBucket[]
  plan: ReadPlan
  remembered: RememberedBucket[]
  /** When the digest was requested. RFC 3339 in UTC. */
  asked_at: string
  /** How long the platform took, as it is saved. */
  measured: Partial<ModuleDigest>
  requests: number
  bytes: number
}

/** `error` says why the digest cannot be used; null if the platform has none. */
type Unusable = { outcome: 'unusable'; error: HubError | null; isOffered: boolean }

type ComparedModule = Pick<
  PullTaskContext,
  'plan' | 'source' | 'signal' | 'firstByteSeconds' | 'retryUntil'
> & {
  target: CallTarget
  history: ModuleDigest
  /** Identifies the manifest, as `readFingerprint`. */
  manifest: string
  mayReadInFull: boolean
}

const DAY_MS = 24 * 3_600_000

/**
 * Requests the sums of a module, then the finer sums of the buckets that differ. Saves how long the platform took, unless
 * no bucket differs: the result of the task then saves it.
 * @throws HubError when the pull was stopped.
 */
export async function compareDigest(
  deps: ComparisonDeps,
  module: ComparedModule,
): Promise<Comparison | Unusable> {
  const { digests, clock } = deps
  const { plan, history } = module
  const requests = new DigestRequests(deps, module)
  let isEqual = false
  try {
    const comparison = await compare(deps, module, requests)
    isEqual = comparison.differing.length === 0
    return comparison
  } catch (error) {
    const isOffered = offersDigest(history) || requests.isOffered
    const isUnsupported = error instanceof UnsupportedError
    if (isUnsupported || (!isOffered && (isFromAnyServer(error) || hasTimedOut(module)))) {
      const unsupported_at = clock.now().toISOString()
      const unsupported = { unsupported_at, unsupported_manifest_hash: module.manifest }
      const unknown = { asked_at: null, digest_ms: null, digest_failed_at: null }
      await digests.saveDigest(plan, { ...unsupported, ...unknown })
      if (module.signal.aborted && !isUnsupported) throw error
      return { outcome: 'unusable', error: null, isOffered: false }
    }
    if (!isUnusable(error, module)) throw error
    return { outcome: 'unusable', error, isOffered }
  } finally {
    const measured = isEqual ? {} : requests.measured()
    if (Object.keys(measured).length > 0) await digests.saveDigest(plan, measured)
  }
}

/** Whether the platform is the cause of an error, so that its list may be read in place of the digest or the buckets. */
export function isUnusable(
  error: unknown,
  { signal }: Pick<PullTaskContext, 'signal'>,
): error is HubError {
  return error instanceof HubError && error.code.startsWith('platform_') && !signal.aborted
}

/** Whether the platform is the cause of an error, also because it took longer than the pull may. */
export function hasFailed(error: unknown, context: Pick<PullTaskContext, 'signal'>): boolean {
  return isUnusable(error, context) || (error !== null && hasTimedOut(context))
}

function hasTimedOut({ signal }: Pick<PullTaskContext, 'signal'>): boolean {
  return signal.reason === ('timed_out' satisfies PullStop)
}

async function compare(
  deps: ComparisonDeps,
  module: ComparedModule,
  requests: DigestRequests,
): Promise<Comparison> {
  const { digests, clock } = deps
  const { plan, mayReadInFull } = module
  const totals = await digests.readTotals(plan)
  const { present } = totals
  const remembered = await digests.listRemembered(plan)
  const known = toKnownDifferences(remembered, clock.now())
  const digits = chooseDigits(present)
  const whole = await requests.send({ digits, prefixes: null })
  const limits = limitRequests(requests.milliseconds)
  const local = hasEqualTotals(whole, totals, remembered)
    ? whole
    : await readLocalSums(digests, plan, digits)
  const differing = findDiffering({ remote: whole, local, known }, digits)
  const refined = await refine(deps, { module, requests, known, limits }, differing, digits)
  const remote = refined ? replaceRefined(whole, refined, digits) : whole
  const records = addUp(remote).count
  const levels = refined ? [refined.differing, differing] : [differing]
  return {
    ...{ outcome: 'compared', digits, remote, records, local, present, differing, remembered },
    plan: planRead(levels, { records: Math.max(records, present), mayReadInFull, limits }),
    asked_at: requests.askedAt.toISOString(),
    measured: requests.measured(),
    requests: requests.count,
    bytes: requests.bytes,
  }
}

async function refine(
  { digests }: ComparisonDeps,
  options: {
    module: ComparedModule
    requests: DigestRequests
    known: readonly KnownDifference[]
    limits: RequestLimits
  },
  differing: readonly DifferingBucket[],
  digits: number,
): Promise<{ prefixes: string[]; buckets: Buckets; differing: DifferingBucket[] } | null> {
  const { module, requests, known, limits } = options
  const finer = planRefinement(differing, digits, limits)
  if (finer === null) return null
  const prefixes = differing.map(({ prefix }) => prefix)
  const buckets = new Map<string, Sums>()
  for (const some of toRequests(prefixes)) {
    for (const [prefix, sums] of await requests.send({ digits: finer, prefixes: some })) {
      buckets.set(prefix, sums)
    }
  }
  const local = await readFinerSums(digests, module.plan, { prefixes, digits: finer })
  const within = new Set(prefixes)
  const ofThese = known.filter(({ prefix }) => within.has(prefix.slice(0, digits)))
  const found = findDiffering({ remote: buckets, local, known: ofThese }, finer)
  return { prefixes, buckets, differing: found }
}

/** The requests of one comparison. */
class DigestRequests {
  readonly #deps: ComparisonDeps
  readonly #module: ComparedModule
  readonly askedAt: Date
  milliseconds = 0
  count = 0
  bytes = 0
  /** Whether the platform has responded with a digest, which may be one that cannot be used. */
  isOffered = false
  /** The error of the last request; null without one. */
  #error: unknown = null

  constructor(deps: ComparisonDeps, module: ComparedModule) {
    this.#deps = deps
    this.#module = module
    this.askedAt = deps.clock.now()
  }

  /** @throws UnsupportedError or HubError. */
  async send(query: DigestQuery): Promise<Map<string, Sums>> {
    const { clock, client } = this.#deps
    const { target, source, plan, ...options } = this.#module
    const { platform_name } = source
    const { signal, firstByteSeconds, retryUntil } = options
    const elapsed = startStopwatch(clock)
    this.count += 1
    try {
      const response = await client.fetchDigest(
        { ...target, platform_name },
        plan.record_type,
        query,
        {
          ...{ signal, firstByteSeconds, retryUntil },
        },
      )
      if (response.outcome === 'unsupported') throw new UnsupportedError()
      this.isOffered = true
      if (response.outcome === 'digest') {
        this.bytes += response.bytes
        return toBuckets(response.buckets)
      }
      const path = `records/${plan.record_type}/digest`
      throw new HubError('platform_response_invalid', { path, reason: response.reason })
    } catch (error) {
      this.#error = error
      throw error
    } finally {
      this.milliseconds += elapsed()
    }
  }

  /**
   * When the digest was requested, how long the platform took for all requests, and whether they failed; nothing if it
   * has no digest or was not reached.
   */
  measured(): Partial<ModuleDigest> {
    const { history } = this.#module
    const isReached = !(this.#error instanceof UnsupportedError) && !isNotConnected(this.#error)
    if (!isReached || !(this.isOffered || offersDigest(history))) return {}
    const isSupported = this.isOffered && history.unsupported_at !== null
    const asked_at = this.askedAt.toISOString()
    const digest_failed_at = hasFailed(this.#error, this.#module) ? asked_at : null
    return {
      asked_at,
      digest_ms: Math.round(this.milliseconds),
      ...(digest_failed_at === history.digest_failed_at ? {} : { digest_failed_at }),
      ...(isSupported ? { unsupported_at: null, unsupported_manifest_hash: null } : {}),
    }
  }
}

/** The responses of servers that know no such endpoint: many respond with 400, 403 or 405 in place of 404. */
const FROM_ANY_SERVER = new Set([
  'platform_failed',
  'platform_rejected_key',
  'platform_reports_failure',
  'platform_timed_out',
])

function isFromAnyServer(error: unknown): boolean {
  return error instanceof HubError && FROM_ANY_SERVER.has(error.code)
}

/** Whether there was no connection, so that the platform has spent no time. */
function isNotConnected(error: unknown): boolean {
  return (
    error instanceof HubError && error.code === 'platform_unreachable' && error.concernsPlatform
  )
}

/** The platform has no digest. */
class UnsupportedError extends Error {}

/** The differences that keep a bucket equal: explained ones, and those that list and digest disagree about, for a day. */
export function toKnownDifferences(
  remembered: readonly RememberedBucket[],
  now: Date,
): KnownDifference[] {
  return remembered
    .filter((bucket) => bucket.state === 'explained' || isReported(bucket, now))
    .map(({ prefix, remote_count, remote_sum, local_count, local_sum }) => ({
      prefix,
      remote: { count: remote_count, sum: remote_sum },
      local: { count: local_count, sum: local_sum },
    }))
}

/** Whether two pulls in a row have found that list and digest disagree about a bucket, the last one within a day. */
export function isReported({ state, reference_number, at }: RememberedBucket, now: Date): boolean {
  const age = now.getTime() - Date.parse(at)
  return state === 'disagreement' && reference_number !== null && age >= 0 && age < DAY_MS
}

/** The sums of the stored records of a module, also of those without a version. */
export async function readLocalSums(
  digests: DigestStore,
  module: ModuleRef,
  digits: number,
): Promise<Map<string, Sums>> {
  const [sums, unversioned] = await Promise.all([
    digests.readSums(module, digits),
    digests.listUnversioned(module, digits),
  ])
  return withUnversioned(toBuckets(sums), unversioned)
}

async function readFinerSums(
  digests: DigestStore,
  module: ModuleRef,
  { prefixes, digits }: { prefixes: readonly string[]; digits: number },
): Promise<Map<string, Sums>> {
  const [sums, unversioned] = await Promise.all([
    digests.readFinerSums(module, prefixes, digits),
    digests.listUnversioned(module, digits),
  ])
  const length = prefixes[0]?.length ?? 0
  const within = new Set(prefixes)
  const ofThese = unversioned.filter(({ prefix }) => within.has(prefix.slice(0, length)))
  return withUnversioned(toBuckets(sums), ofThese)
}

function withUnversioned(
  buckets: Map<string, Sums>,
  unversioned: readonly { prefix: string; count: number }[],
): Map<string, Sums> {
  for (const { prefix, count } of unversioned) {
    const added = { count, sum: count * UNVERSIONED_SUM }
    buckets.set(prefix, plus(buckets.get(prefix) ?? { count: 0, sum: 0 }, added))
  }
  return buckets
}
