/**
 * Reads one module of one platform in the cheapest way that proves the most: compares its digest and reads the buckets that
 * differ, or reads its list, which the platform may confirm with a 304 response.
 */
import type { DigestResult, FullBecause, ReadMode } from '@recordhub/protocol'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { toRequests } from '../../domain/pull/digest.ts'
import {
  isNotStable,
  mayReadInFull,
  offersDigest,
  planReadMode,
} from '../../domain/pull/read-mode.ts'
import { identifyManifest } from '../../domain/pull/unchanged.ts'
import { HubError } from '../../errors.ts'
import type { ModuleDigest } from '../../storage/port/digest-store.ts'
import type { PullTaskResult } from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  type DetectedOutcome,
  type DetectMissingDeps,
  detectMissing,
  resolveReview,
} from './detect-missing.ts'
import { type Comparison, compareDigest, hasFailed, isUnusable } from './digest-comparison.ts'
import { judgeBuckets, settleDigest } from './digest-read.ts'
import type { PullTaskContext } from './pull-task-accumulator.ts'
import { respondsToPing } from './resume-platform.ts'
import { type PullTaskDeps, runPullTask } from './run-pull-task.ts'
import { describeVersions, findInPart, settleFullRead } from './version-findings.ts'

export type ReadModuleDeps = PullTaskDeps &
  DetectMissingDeps & { config: Pick<FeatureDeps['config'], 'HUB_FULL_PULL_HOURS'> }

/** The task without what {@link readModule} decides. */
export type ModuleContext = Omit<PullTaskContext, 'selections' | 'readsAll'>

export type ModuleOutcome = DetectedOutcome & {
  mode: ReadMode
  full_because: FullBecause | null
  digest: DigestResult | null
  /** Null if no digest was received. */
  compared: PullTaskResult['compared']
  digest_change: PullTaskResult['digest_change']
  /** Set if the platform was not asked. */
  isIdle?: boolean
}

type ModuleRead = {
  deps: ReadModuleDeps
  context: ModuleContext
  /** Identifies the manifest and the source. */
  manifest: string
  now: Date
}

const UNUSABLE = 'The digest cannot be used.'
const NOT_USABLE =
  'The digest could not be used when it was last requested. Until it is due again, all records are read once an hour.'

/** Never rejects: an error is part of the outcome, with what was read and stored before it. */
export async function readModule(
  deps: ReadModuleDeps,
  context: ModuleContext,
): Promise<ModuleOutcome> {
  try {
    return await chooseAndRead(deps, context)
  } catch (error) {
    return readNothing(deps, context, error)
  }
}

async function chooseAndRead(deps: ReadModuleDeps, context: ModuleContext): Promise<ModuleOutcome> {
  const { plan, source, full_read_at, history } = context
  const { config, clock } = deps
  const hasVersions = history.unversioned !== null
  const manifest = identifyManifest(plan.fields, source.source_base_url)
  const read: ModuleRead = { deps, context, manifest, now: clock.now() }
  const mode = planReadMode({
    requested: plan.pull_mode,
    isUrgent: plan.trigger === 'operator',
    isReviewApproved: hasVersions && context.review === 'approved',
    module_id: plan.module_id,
    full_read_at,
    history,
    manifest,
    now: read.now,
    fullPullHours: config.HUB_FULL_PULL_HOURS,
  })
  if (mode.read === 'list') {
    const isFailed = mode.because === 'no_digest' && history.digest_failed_at !== null
    return readList(read, mode.because, isFailed ? [NOT_USABLE] : [])
  }
  if (mode.read === 'digest') return readByDigest(read)
  const nothing = await readNothing(deps, context, null)
  return withWarnings({ ...nothing, isIdle: true }, describe(read, history))
}

/** Requests the whole list. */
async function readList(
  read: ModuleRead,
  because: FullBecause,
  warnings: string[] = [],
): Promise<ModuleOutcome> {
  const { deps, context, manifest } = read
  const { history } = context
  const isConditional = because === 'no_digest' || because === 'not_stable'
  const whole: PullTaskContext = {
    ...context,
    cached_response: isConditional ? context.cached_response : null,
    selections: null,
    readsAll: await mustReadAll(deps.digests, context.plan, history),
  }
  const outcome = await detectMissing(deps, whole, await runPullTask(deps, whole))
  const isModified = outcome.error !== null || outcome.coverage.pages > 0
  const result: ModuleOutcome = {
    ...outcome,
    mode: isModified ? 'full' : 'not_modified',
    full_because: isModified ? because : null,
    ...{ digest: null, compared: null, digest_change: null },
  }
  await settleFullRead(deps, context, { outcome, history, manifest })
  const found = outcome.coverage.pages > 0 ? await deps.digests.readDigest(context.plan) : history
  // Why the digest cannot be used says nothing new where the list cannot be read either.
  const isUnread = outcome.error !== null && outcome.coverage.pages === 0
  return withWarnings(result, [...describe(read, found), ...(isUnread ? [] : warnings)])
}

/**
 * Whether elements must be read even if their bytes are unchanged, to count those without a version: some had none, or an
 * interrupted read has stored versions, or the module was registered again since.
 */
async function mustReadAll(
  digests: FeatureDeps['digests'],
  module: PullTaskContext['plan'],
  { unversioned }: ModuleDigest,
): Promise<boolean> {
  if (unversioned !== null) return unversioned > 0
  return (await digests.readSums(module, 1)).length > 0
}

/** Compares the digest, and reads the buckets that differ. */
async function readByDigest(read: ModuleRead): Promise<ModuleOutcome> {
  const { deps, context, manifest, now } = read
  const { source_base_url, encrypted_source_key } = context.source
  const source_api_key = deps.secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  const isAllowed = mayReadInFull(context, now)
  const comparison = await compareDigest(deps, {
    ...context,
    target: { source_base_url, source_api_key },
    ...{ manifest, mayReadInFull: isAllowed },
  })
  if (comparison.outcome === 'unusable') {
    const { error, isOffered } = comparison
    if (error === null) return readList(read, 'no_digest')
    return readInstead(read, error, isAllowed || !isOffered)
  }
  if (comparison.plan.outcome === 'too_different') return readList(read, 'too_different')
  return readBuckets(read, comparison, isAllowed)
}

/**
 * Reads the list in place of a digest or of buckets that cannot be used. If it was read within an hour, a ping shows whether
 * the whole platform fails; a platform may respond to it with any key.
 * @throws HubError the error, if the whole platform fails.
 */
async function readInstead(
  read: ModuleRead,
  error: HubError,
  mayReadList: boolean,
): Promise<ModuleOutcome> {
  const { deps, context } = read
  const isNamed = error.code === 'platform_ignores_prefix'
  const warnings = [isNamed ? error.message : `${UNUSABLE} ${error.message}`]
  if (mayReadList) return readList(read, 'no_digest', warnings)
  if (error.concernsPlatform) {
    const isKeyRejected = error.code === 'platform_rejected_key'
    if (isKeyRejected || !(await respondsToPing(deps, context.source, context.signal))) throw error
  }
  return withWarnings(await readNothing(deps, context, null), warnings)
}

async function readBuckets(
  read: ModuleRead,
  comparison: Comparison,
  isFullAllowed: boolean,
): Promise<ModuleOutcome> {
  const { deps, context, manifest, now } = read
  const { history } = context
  const { digests } = deps
  const buckets = comparison.plan.outcome === 'read' ? comparison.plan.buckets : []
  const selections = toRequests(buckets.map(({ prefix }) => prefix))
  const task: PullTaskContext = { ...context, selections, readsAll: true }
  const received = await runPullTask(deps, task)
  const digest_ms = Math.round((comparison.measured.digest_ms ?? 0) + received.waitedMs)
  const measured = { ...comparison.measured, digest_ms }
  const { error, coverage, tally } = received
  const isIgnored = error instanceof HubError && error.code === 'platform_ignores_prefix'
  if (selections.length > 0) {
    await digests.saveDigest(context.plan, {
      ...measured,
      ...(isIgnored
        ? { unsupported_at: now.toISOString(), unsupported_manifest_hash: manifest }
        : hasFailed(error, context)
          ? { digest_failed_at: comparison.asked_at }
          : {}),
    })
  }
  if (isUnusable(error, context)) {
    // A list in place of the buckets would not show again that content has changed under an equal version.
    const mayReplace = isFullAllowed && tally.contentAlone === 0
    if (isIgnored || coverage.pages === 0 || mayReplace) {
      return readInstead(read, error, isFullAllowed)
    }
  }
  const judged = judgeBuckets(comparison, received)
  const outcome = await detectMissing(deps, task, received, judged)
  const change = findInPart({ outcome, history, at: deps.clock.now().toISOString() })
  if (Object.keys(change).length > 0) {
    await digests.saveDigest(context.plan, change, context.digest_epoch)
  }
  const settled = await settleDigest(deps, context, comparison, { outcome, history })
  const { repaired, explained, rejected, isVerified, warnings } = settled
  const isNoneMissing = isVerified && settled.absent === 0
  if (isNoneMissing && context.review !== null) await resolveReview(deps, context)
  const result: ModuleOutcome = {
    ...outcome,
    // Without a rejected element there is no group of them.
    rejection_groups: isVerified && rejected === 0 ? [] : outcome.rejection_groups,
    mode: 'digest',
    full_because: null,
    digest: {
      ...{ differing: comparison.differing.length, repaired, explained },
      requests: comparison.requests + selections.length,
      bytes: comparison.bytes + outcome.bytes,
    },
    compared: {
      records: settled.stored,
      listed: settled.listed,
      verified: isVerified ? { explained, rejected } : null,
    },
    digest_change: { ...measured, ...settled.claim },
  }
  const found = { ...history, ...measured, ...change }
  return withWarnings(result, [...describe(read, found), ...warnings])
}

/** The outcome of a task that requests nothing. */
async function readNothing(
  deps: ReadModuleDeps,
  context: ModuleContext,
  error: unknown,
): Promise<ModuleOutcome> {
  const task: PullTaskContext = { ...context, selections: [], readsAll: false }
  const outcome = await runPullTask(deps, task)
  return {
    ...outcome,
    error: error ?? outcome.error,
    ...{ isDecided: true, isVerified: false, pushedBefore: 0, heldAbsent: 0, rejectedPresent: 0 },
    ...{ waiting: new Map(), outdated: new Map() },
    mode: 'digest',
    full_because: null,
    digest: { differing: 0, repaired: 0, explained: 0, requests: 0, bytes: 0 },
    ...{ compared: null, digest_change: null },
  }
}

function describe({ manifest }: Pick<ModuleRead, 'manifest'>, history: ModuleDigest): string[] {
  return describeVersions(history, {
    isOffered: offersDigest(history),
    isNotStable: isNotStable(history, manifest),
    isUnsupported:
      history.unsupported_at !== null && history.unsupported_manifest_hash === manifest,
  })
}

function withWarnings(outcome: ModuleOutcome, warnings: string[]): ModuleOutcome {
  return { ...outcome, warnings: [...new Set([...outcome.warnings, ...warnings])] }
}
