/**
 * Reports what each transaction of a hub has committed, at the moment of the commit. A storage is wrapped so that the
 * code that executes a statement knows the unit of work that it belongs to.
 */
import type { Manifest } from '@recordhub/protocol'
import type { ModuleDigest } from '../../src/storage/port/digest-store.ts'
import type { MissingBatch } from '../../src/storage/port/missing-store.ts'
import type { NewPlatform, PlatformUpdate } from '../../src/storage/port/platform-store.ts'
import type { PullDispatcher, PullTaskResult } from '../../src/storage/port/pull-store.ts'
import type { WriteBatch } from '../../src/storage/port/record-store.ts'
import type { NewRejectedPush } from '../../src/storage/port/rejected-push-store.ts'
import type { HoldStore, RevertResult, RunningRevert } from '../../src/storage/port/revert-store.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { currentContext, runInContext } from './scheduler.ts'

/** A unit of work whose commit the reference model needs. */
export type Unit = WriteUnit | OperatorUnit | RevertUnit

/** A unit of work of pushes and pulls. */
type WriteUnit =
  | { name: 'applyWrites'; batch: WriteBatch }
  | { name: 'saveRejectedPushes'; rejected: NewRejectedPush[]; at: string }
  | { name: 'startPull'; pull_id: number }
  | { name: 'startTask'; pull_id: number; task_number: number }
  | { name: 'finishTask'; pull_id: number; task_number: number; result: PullTaskResult }
  | { name: 'markMissing'; batch: MissingBatch }
  | {
      name: 'saveDigest'
      pull_id: number
      module_id: number
      change: Partial<ModuleDigest>
    }
  /** May end pulls whose processes have ended. */
  | { name: 'interruptPulls' }

/** A unit of work of an operator. */
export type OperatorUnit =
  | { name: 'registerPlatform'; platform: NewPlatform }
  | ({ name: 'changePlatform' } & PlatformUpdate)
  | { name: 'removePlatform'; platform_id: number }
  | { name: 'rotateHubKey'; platform_id: number; key_hash: string; old_expires_at: string }
  | { name: 'saveManifest'; platform_id: number; manifest: Manifest }
  | { name: 'eraseRecord'; record_id: number }
  | { name: 'deleteTombstone'; tombstone_id: number }
  | { name: 'decideReview'; review_id: number; state: string }

/** A unit of work of a revert, or of an operator who lifts holds. */
export type RevertUnit =
  | { name: 'saveResults'; revert_id: number; results: RevertResult[] }
  | { name: 'finishRevert'; revert_id: number }
  | {
      name: 'liftHolds'
      scope: Parameters<HoldStore['liftHolds']>[0]
      by: RunningRevert | undefined
    }

export function isUnit(value: unknown): value is Unit {
  return typeof value === 'object' && value !== null && 'name' in value
}

/** The stores of one hub process on a storage that several processes may share. */
export function observeCommits(storage: Storage): Storage {
  const { records, pulls, missing, rejectedPushes, digests } = storage
  return {
    ...storage,
    ...observeOperators(storage),
    ...observeReverts(storage),
    records: {
      ...records,
      applyWrites: (batch) =>
        asUnit({ name: 'applyWrites', batch }, () => records.applyWrites(batch)),
    },
    digests: {
      ...digests,
      saveDigest: (module, change, epoch) => {
        const { module_id } = module
        const pull_id = currentContext()?.pullId ?? 0
        return asUnit({ name: 'saveDigest', pull_id, module_id, change }, () =>
          digests.saveDigest(module, change, epoch),
        )
      },
    },
    rejectedPushes: {
      ...rejectedPushes,
      saveRejectedPushes: (rejected, options) =>
        asUnit({ name: 'saveRejectedPushes', rejected, at: options.at }, () =>
          rejectedPushes.saveRejectedPushes(rejected, options),
        ),
    },
    pulls: {
      ...pulls,
      requestPull: (request) =>
        asUnit({ name: 'interruptPulls' }, () => pulls.requestPull(request)),
      interruptAbandonedPulls: () =>
        asUnit({ name: 'interruptPulls' }, () => pulls.interruptAbandonedPulls()),
      startPull: (pull_id, lease) =>
        asUnit({ name: 'startPull', pull_id }, () => pulls.startPull(pull_id, lease)),
      startTask: (pull_id, task_number) =>
        asUnit({ name: 'startTask', pull_id, task_number }, () =>
          pulls.startTask(pull_id, task_number),
        ),
      finishTask: (pull_id, task_number, result, activity) =>
        asUnit({ name: 'finishTask', pull_id, task_number, result }, () =>
          pulls.finishTask(pull_id, task_number, result, activity),
        ),
    },
    missing: {
      ...missing,
      markMissing: (batch) =>
        asUnit({ name: 'markMissing', batch }, () => missing.markMissing(batch)),
      decideReview: (decision, log) =>
        asUnit({ ...decision, name: 'decideReview' }, () => missing.decideReview(decision, log)),
    },
  }
}

function observeOperators({
  platforms,
  connections,
  manifests,
  erasure,
}: Storage): Pick<Storage, 'platforms' | 'connections' | 'manifests' | 'erasure'> {
  return {
    platforms: {
      ...platforms,
      registerPlatform: (platform, log) =>
        asUnit({ name: 'registerPlatform', platform }, () =>
          platforms.registerPlatform(platform, log),
        ),
      changePlatform: (update) =>
        asUnit({ ...update, name: 'changePlatform' }, () => platforms.changePlatform(update)),
      removePlatform: (request, log) =>
        asUnit({ ...request, name: 'removePlatform' }, () =>
          platforms.removePlatform(request, log),
        ),
    },
    connections: {
      ...connections,
      rotateHubKey: (rotation, log) =>
        asUnit({ ...rotation, key_hash: rotation.hub_key.key_hash, name: 'rotateHubKey' }, () =>
          connections.rotateHubKey(rotation, log),
        ),
    },
    manifests: {
      ...manifests,
      saveManifest: (fetched, describe) =>
        asUnit({ ...fetched, name: 'saveManifest' }, () =>
          manifests.saveManifest(fetched, describe),
        ),
    },
    erasure: {
      ...erasure,
      eraseRecord: (request, log) =>
        asUnit({ ...request, name: 'eraseRecord' }, () => erasure.eraseRecord(request, log)),
      deleteTombstone: (tombstone_id, log) =>
        asUnit({ name: 'deleteTombstone', tombstone_id }, () =>
          erasure.deleteTombstone(tombstone_id, log),
        ),
    },
  }
}

function observeReverts({ reverts, holds }: Storage): Pick<Storage, 'reverts' | 'holds'> {
  return {
    reverts: {
      ...reverts,
      saveResults: (revert_id, results) =>
        asUnit({ name: 'saveResults', revert_id, results }, () =>
          reverts.saveResults(revert_id, results),
        ),
      finishRevert: (revert_id, owner, end, log) =>
        asUnit({ name: 'finishRevert', revert_id }, () =>
          reverts.finishRevert(revert_id, owner, end, log),
        ),
    },
    holds: {
      ...holds,
      liftHolds: (scope, log, by) =>
        asUnit({ name: 'liftHolds', scope, by }, () => holds.liftHolds(scope, log, by)),
    },
  }
}

/** The code of each pull runs in a context with its id, by which its requests are recognised. */
export function observePulls(dispatcher: PullDispatcher): PullDispatcher {
  return {
    ...dispatcher,
    start: (runPull) =>
      dispatcher.start((pullId) => {
        const context = currentContext()
        return runInContext(context && { ...context, pullId }, () => runPull(pullId))
      }),
  }
}

function asUnit<Result>(unit: Unit, work: () => Result): Result {
  const context = currentContext()
  return context ? runInContext({ ...context, unit }, work) : work()
}
