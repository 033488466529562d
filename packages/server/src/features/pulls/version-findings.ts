/** What a read finds about the versions of a module, as it is saved: whether they can be relied on. */

import { formatCount } from '../../domain/activity/activity.ts'
import { offersDigest } from '../../domain/pull/read-mode.ts'
import { STORED_DIGITS } from '../../domain/record/digest-sums.ts'
import type { ModuleDigest } from '../../storage/port/digest-store.ts'
import type { DetectedOutcome } from './detect-missing.ts'
import { readLocalSums } from './digest-comparison.ts'
import { explainBuckets, type SettleDeps } from './digest-read.ts'
import type { PullTaskContext } from './pull-task-accumulator.ts'

/** After so many reads in a row the versions are not used until the manifest changes. */
const MAX_UNSTABLE_READS = 2

const WITHDRAWN = {
  verified_at: null,
  verified_by: null,
  verified_records: null,
  verified_of: null,
  verified_explained: null,
  verified_pushes: null,
} as const

const STABLE = { unstable_at: null, unstable_manifest_hash: null } as const

type Findings = {
  outcome: DetectedOutcome
  history: ModuleDigest
  /** Identifies the manifest, as `readFingerprint`. */
  manifest: string
  at: string
}

/**
 * Saves what a read of the whole list has found. A module whose elements have no versions is left as it is.
 */
export async function settleFullRead(
  deps: SettleDeps,
  { plan, digest_epoch: epoch }: Pick<PullTaskContext, 'plan' | 'digest_epoch'>,
  read: Omit<Findings, 'at'>,
): Promise<void> {
  const { outcome, history } = read
  const { tally, coverage, error } = outcome
  const hasVersions = tally.read > tally.unversioned
  const mayHaveVersions = hasVersions || history.unversioned !== null || offersDigest(history)
  if (coverage.pages === 0 || !mayHaveVersions) return
  const at = deps.clock.now().toISOString()
  const findings = { ...read, at }
  if (error !== null) {
    await deps.digests.saveDigest(plan, { ...findInPart(findings), list_failed_at: at }, epoch)
    return
  }
  const local = await readLocalSums(deps.digests, plan, STORED_DIGITS)
  await deps.digests.saveDigest(plan, findInWhole(findings), epoch)
  const save = explainBuckets(outcome, local, at)
  await deps.digests.remember(plan, { save, delete: 'all', epoch })
}

/** What a read of the whole list says about the versions. */
function findInWhole({ outcome, history, manifest, at }: Findings): Partial<ModuleDigest> {
  const { tally, counts } = outcome
  const found = counts.received > 0 ? countUnversioned(outcome, history) : 0
  // Without any version, the module is as if it had never had one.
  const unversioned = counts.received > 0 && found >= counts.received ? null : found
  const isUnstable = tally.versionsAlone * 2 > counts.received
  const unstable_reads = isUnstable ? history.unstable_reads + 1 : 0
  const isNotStable = unstable_reads >= MAX_UNSTABLE_READS
  const isWithdrawn = tally.contentAlone > 0 || unversioned !== 0
  return {
    unversioned,
    unstable_reads,
    ...(unversioned === null ? { asked_at: null, digest_ms: null, digest_failed_at: null } : {}),
    ...(isNotStable ? { unstable_at: at, unstable_manifest_hash: manifest } : {}),
    ...(!isNotStable && history.unstable_manifest_hash !== manifest ? STABLE : {}),
    ...toWithdrawal(outcome, at),
    ...(isWithdrawn ? WITHDRAWN : {}),
  }
}

/** What a read of some elements says about the versions: nothing that only the whole list shows. */
export function findInPart({
  outcome,
  history,
  at,
}: Omit<Findings, 'manifest'>): Partial<ModuleDigest> {
  const { unversioned, contentAlone } = outcome.tally
  if (unversioned + contentAlone === 0) return {}
  return {
    ...(unversioned > 0 ? { unversioned: Math.max(history.unversioned ?? 0, unversioned) } : {}),
    ...(contentAlone > 0 ? toWithdrawal(outcome, at) : {}),
    ...WITHDRAWN,
  }
}

function toWithdrawal({ tally }: DetectedOutcome, at: string): Partial<ModuleDigest> {
  const { contentAlone, firstContentAlone } = tally
  if (contentAlone === 0) {
    return { withdrawn_at: null, withdrawn_records: null, withdrawn_reference: null }
  }
  return {
    withdrawn_at: at,
    withdrawn_records: contentAlone,
    withdrawn_reference: firstContentAlone,
  }
}

/**
 * The number of elements without a version. Those that were found unchanged had none if no read has found a version yet; if
 * some had one, all were read.
 */
function countUnversioned({ tally, counts }: DetectedOutcome, history: ModuleDigest): number {
  const notRead = counts.received - tally.read
  return tally.unversioned + (history.unversioned === null ? notRead : 0)
}

/**
 * Says what a pull has found about the versions of a module, or what earlier ones have found if it read none. The completeness of
 * the module names a record. A warning must not: an erasure would not find it.
 */
export function describeVersions(
  { unversioned, withdrawn_at, withdrawn_records }: ModuleDigest,
  {
    isOffered,
    isNotStable,
    isUnsupported,
  }: { isOffered: boolean; isNotStable: boolean; isUnsupported: boolean },
): string[] {
  const warnings: string[] = []
  if (withdrawn_at !== null) {
    warnings.push(
      `The content of ${formatCount(withdrawn_records ?? 0, 'record')} had changed under an equal version. The version must change whenever anything in the element changes. Until a full read finds no such record, the hub does not claim that both sides are equal.`,
    )
  }
  if (!isOffered) return warnings
  if ((unversioned ?? 0) > 0) {
    warnings.push(
      `The list has ${formatCount(unversioned ?? 0, 'record')} without a version, so the digest is not used and all records are read once an hour. Every record needs a version.`,
    )
  }
  if (isNotStable) {
    warnings.push(
      'The versions are not stable: more than half of them changed twice in a row although the content did not. The digest is not used until the manifest changes, and all records are read once an hour.',
    )
  }
  if (isUnsupported) {
    warnings.push(
      'The platform ignores the parameter prefix, so the digest is not used for a day and all records are read once an hour.',
    )
  }
  return warnings
}
