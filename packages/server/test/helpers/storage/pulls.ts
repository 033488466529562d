/** Pulls and reads in tests of the storage. */
import assert from 'node:assert/strict'
import type { PullCounts, PullMode } from '@recordhub/protocol'
import { fingerprintOf, manifestHash } from '../../../src/domain/pull/unchanged.ts'
import { IdBitset } from '../../../src/lib/collections/id-bitset.ts'
import type {
  EndState,
  Lease,
  PullTaskPlan,
  PullTaskResult,
} from '../../../src/storage/port/pull-store.ts'
import type { PullWrite, RecordRead } from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { normalize, type TestPlatform } from './fixtures.ts'

export const LEASE: Lease = { owner: 'node-1', seconds: 30 }

export type TestPull = { pull_id: number; tasks: PullTaskPlan[] }
export type TestRead = { task: PullTaskPlan; read: RecordRead }
export type ReadOverrides = {
  record_type?: string
  requested_at?: string
  manifest_keys?: string[]
}

export function requestPull(storage: Storage, lease: Lease = LEASE, mode: PullMode = 'auto') {
  return storage.pulls.requestPull({
    mode,
    trigger: 'operator',
    requested_by: 'ann@example.org',
    lease,
    only: null,
  })
}

/** Requests a pull and starts it. */
export async function startTestPull(
  storage: Storage,
  lease: Lease = LEASE,
  mode: PullMode = 'auto',
): Promise<TestPull> {
  const { outcome, pull } = await requestPull(storage, lease, mode)
  assert.equal(outcome, 'queued')
  const tasks = await storage.pulls.startPull(pull.id, lease)
  assert.ok(tasks)
  return { pull_id: pull.id, tasks }
}

export function taskOf(pull: TestPull, platform: TestPlatform, type = 'students'): PullTaskPlan {
  const task = pull.tasks.find(
    (one) => one.platform_id === platform.platform_id && one.record_type === type,
  )
  assert.ok(task)
  return task
}

/** Starts the task of a module and creates the read of its elements. */
export async function startRead(
  storage: Storage,
  pull: TestPull,
  platform: TestPlatform,
  overrides: ReadOverrides = {},
): Promise<TestRead> {
  const task = taskOf(pull, platform, overrides.record_type)
  const started = await storage.pulls.startTask(pull.pull_id, task.task_number)
  assert.ok(started)
  const keys = overrides.manifest_keys ?? ['a', 'b']
  const read: RecordRead = {
    pull_id: pull.pull_id,
    platform_id: task.platform_id,
    module_id: task.module_id,
    snapshotSeq: started.snapshotSeq,
    requested_at: overrides.requested_at ?? '2026-03-10T08:00:00.000000000Z',
    manifest_keys: new Set(keys),
    manifest_hash: manifestHash(keys),
    seen: new IdBitset(),
    stillMissing: new IdBitset(),
  }
  return { task, read }
}

/** Requests a pull, starts it and starts the read of one module. */
export async function startPullAndRead(
  storage: Storage,
  platform: TestPlatform,
  overrides: ReadOverrides = {},
): Promise<TestRead> {
  return startRead(storage, await startTestPull(storage), platform, overrides)
}

/** A write of an element of a read, by default r-1 without a version. `data` is JSON text. */
export function pullWrite(
  { read }: TestRead,
  overrides: { reference?: string; full_name?: string; data?: string; version?: string } = {},
): PullWrite {
  const { reference = 'r-1', full_name = 'Ann', data = '{}', version = null } = overrides
  const beside = version === null ? '' : `,"version":${JSON.stringify(version)}`
  const bytes = Buffer.from(
    `{"reference_number":${JSON.stringify(reference)},"full_name":${JSON.stringify(full_name)},"data":${data}${beside}}`,
  )
  return {
    reference_number: reference,
    read,
    content: {
      source: 'pull',
      full_name,
      data: normalize(data),
      fingerprint: fingerprintOf(read.manifest_hash, bytes),
      version,
    },
  }
}

export const NO_COUNTS: PullCounts = {
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  held: 0,
  rejected: 0,
  accepted: 0,
  missing: 0,
  not_listed: 0,
}

export const SOME_COUNTS: PullCounts = {
  ...{ received: 10, created: 4, updated: 3, unchanged: 1 },
  ...{ stale: 1, held: 1, rejected: 1, missing: 2, not_listed: 5, accepted: 6 },
}

export function taskResult(overrides: Partial<PullTaskResult> = {}): PullTaskResult {
  return {
    state: 'succeeded',
    total: null,
    counts: NO_COUNTS,
    error: null,
    error_cause: null,
    warnings: [],
    problem: null,
    platform_error: overrides.error ?? null,
    read: null,
    ...{ mode: 'full', full_because: 'due', digest: null },
    ...{ compared: null, digest_change: null },
    cached_response: null,
    rejection_groups: null,
    ...overrides,
  }
}

/** By default a complete read that does not verify completeness. */
export function completeRead(
  read: Partial<NonNullable<PullTaskResult['read']>> & { snapshotSeq: number },
): PullTaskResult['read'] {
  const requested_at = '2026-03-10T08:00:00.000000000Z'
  return {
    requested_at,
    records: 0,
    rejected_present: 0,
    pushes: 0,
    incomplete_reasons: ['no_total'],
    ...read,
  }
}

export const EMPTY_READ = completeRead({ snapshotSeq: 0 })

/** Finishes the task of a complete read. */
export async function finishRead(storage: Storage, { read, task }: TestRead): Promise<void> {
  const { snapshotSeq, requested_at, pull_id } = read
  const result = taskResult({
    read: completeRead({ snapshotSeq, requested_at, records: read.seen.size }),
  })
  await storage.pulls.finishTask(pull_id, task.task_number, result, null)
}

export function finishTestPull(
  storage: Storage,
  pullId: number,
  state: EndState = 'succeeded',
): Promise<boolean> {
  return storage.pulls.finishPull(
    pullId,
    { state, unfinishedTasks: 'not_reached' },
    { level: 'info', kind: `pull.${state}`, message: `Pull ${pullId} ended: ${state}` },
  )
}

/** Runs a pull of one module of one platform. */
export async function pullOnce(
  kit: { storage: Storage },
  platform: TestPlatform,
  work: (read: TestRead) => Promise<void>,
  overrides: ReadOverrides = {},
): Promise<void> {
  const read = await startPullAndRead(kit.storage, platform, overrides)
  await work(read)
  await finishRead(kit.storage, read)
  await finishTestPull(kit.storage, read.read.pull_id)
}
