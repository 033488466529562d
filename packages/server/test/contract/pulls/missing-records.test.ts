/** The detection of missing records after complete pulls, with real storage. */
import assert from 'node:assert/strict'
import type { ReadCoverage } from '../../../src/domain/pull/missing.ts'
import { noCounts } from '../../../src/domain/pull/pull.ts'
import { type DetectedOutcome, detectMissing } from '../../../src/features/pulls/detect-missing.ts'
import type { PullTaskOutcome } from '../../../src/features/pulls/pull-task-accumulator.ts'
import { VersionTally } from '../../../src/features/pulls/version-tally.ts'
import { IdBitset } from '../../../src/lib/collections/id-bitset.ts'
import { formatRfc3339 } from '../../../src/lib/time/rfc3339.ts'
import type { MissingStore } from '../../../src/storage/port/missing-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { pullList, revert } from '../../helpers/storage/reverts.ts'

type Reading = {
  /** References of the records that the pull returns. */
  received: string[]
  pages?: number
  threshold?: number
  graceSeconds?: number
  outcome?: Partial<PullTaskOutcome>
  coverage?: Partial<ReadCoverage>
  signal?: AbortSignal
  missing?: MissingStore
}

test('a record is marked only when two consecutive multi-page pulls do not contain it', async (kit) => {
  const school = await createSchool(kit, 20)
  const without = (...missing: number[]) =>
    namesUpTo(20).filter((name) => !missing.map(String).includes(name))
  assert.equal(await readOnce(kit, school, { received: without(1, 2), pages: 2 }), 0)
  assert.equal(await readOnce(kit, school, { received: without(2, 3), pages: 3 }), 1)
  assert.deepEqual(await listMarked(kit), ['2'])
  assert.equal(await readOnce(kit, school, { received: without(2, 3, 4), pages: 2 }), 1)
  assert.deepEqual(await listMarked(kit), ['2', '3'])
  // A read of a single page needs no second read.
  assert.equal(await readOnce(kit, school, { received: without(2, 3, 4, 5) }), 2)
  assert.equal(await kit.countRows('missing_candidates'), 0)
})

test('an incomplete pull deletes the candidates of the previous pull, and an unchanged response does not', async (kit) => {
  const school = await createSchool(kit, 20)
  const received = namesUpTo(20).slice(1)
  const pages = 2
  assert.equal(await readOnce(kit, school, { received, pages }), 0)
  assert.equal(await readOnce(kit, school, { received, pages, outcome: { total: 20 } }), 0)
  assert.equal(await readOnce(kit, school, { received, pages }), 0)
  const error = new Error('cut off')
  assert.equal(await readOnce(kit, school, { received: [], pages: 0, outcome: { error } }), 0)
  assert.equal(await readOnce(kit, school, { received, pages }), 0)
  assert.equal(await readOnce(kit, school, { received: [], pages: 0 }), 0)
  assert.equal(await readOnce(kit, school, { received, pages }), 1)
})

test('many records are marked in several transactions, and pushes are accepted in between', async (kit) => {
  const school = await createSchool(kit, 1200)
  const sizes: number[] = []
  const missing: MissingStore = {
    ...kit.storage.missing,
    async markMissing(batch) {
      sizes.push(batch.records.length)
      const push = kit.write(pushWrite(school, { reference: `pushed ${sizes.length}` }))
      const outcome = await kit.storage.missing.markMissing(batch)
      await push
      return outcome
    },
  }
  assert.equal(await readOnce(kit, school, { received: [], missing }), 1200)
  assert.deepEqual(sizes, [500, 500, 200])
  assert.deepEqual(await listMarked(kit), namesUpTo(1200).sort())
})

for (const cause of ['its signal', 'another node'] as const) {
  test(`a pull stopped by ${cause} while marking has marked whole batches, and the next pull marks the rest`, async (kit) => {
    const school = await createSchool(kit, 1200)
    const stopping = new AbortController()
    const missing: MissingStore = {
      ...kit.storage.missing,
      async markMissing(batch) {
        const outcome = await kit.storage.missing.markMissing(batch)
        if (cause === 'its signal') stopping.abort()
        else await kit.finishPull(batch.pull_id, 'cancelled')
        return outcome
      },
    }
    const { signal } = stopping
    const outcome = await readModule(kit, school, { received: [], missing, signal })
    assert.equal(outcome.counts.missing, 500)
    assert.match(String(outcome.error), /pull .* has ended/)
    assert.equal((await listMarked(kit)).length, 500)
    assert.equal(await readOnce(kit, school, { received: [] }), 700)
  })
}

test('a pull without newly missing records reads no records and writes nothing', async (kit) => {
  const school = await createSchool(kit, 20)
  await readOnce(kit, school, { received: namesUpTo(20).slice(2) })
  const fail = async () => assert.fail('unexpected call')
  const missing: MissingStore = {
    ...kit.storage.missing,
    listMissing: fail,
    findPresent: fail,
    listReviewed: fail,
    markMissing: fail,
    createReview: fail,
    updateReview: fail,
    closeReview: fail,
    saveCandidates: fail,
  }
  const outcome = await readModule(kit, school, { received: namesUpTo(20).slice(2), missing })
  assert.deepEqual([outcome.error, outcome.counts.missing], [null, 0])
})

test('a read that contained a record which a revert took back meanwhile still finds the absent ones', async (kit) => {
  const school = await createSchool(kit, 3)
  const list = Object.fromEntries([...namesUpTo(3), 'new'].map((name) => [name, '{}']))
  const bad = await pullList(kit, school, list)
  const missing: MissingStore = {
    ...kit.storage.missing,
    async countUnmarked(module) {
      await revert(kit, { pull_id: bad.pull_id })
      return kit.storage.missing.countUnmarked(module)
    },
  }
  assert.equal(await readOnce(kit, school, { received: ['0', '1', 'new'], missing }), 1)
  assert.deepEqual(await listMarked(kit), ['2', 'new'])
})

test('each read counts the records that it did not contain and that it did not mark', async (kit) => {
  const school = await createSchool(kit, 20)
  const count = async (reading: Reading) => {
    const { missing, not_listed } = (await readModule(kit, school, reading)).counts
    return [missing, not_listed]
  }
  const received = namesUpTo(20).slice(1)
  assert.deepEqual(await count({ received, pages: 2 }), [0, 1])
  assert.deepEqual(await count({ received, outcome: { total: 20 } }), [0, 1])
  assert.deepEqual(await count({ received: received.slice(12), threshold: 20 }), [0, 13])
  assert.deepEqual(await count({ received: [], pages: 0 }), [0, 0])
  assert.deepEqual(await count({ received }), [1, 0])
  assert.deepEqual(await count({ received }), [0, 0])
})

test('the outcome contains whether the next pull must decide about any record', async (kit) => {
  const school = await createSchool(kit, 20)
  const isDecided = async (reading: Reading) => (await readModule(kit, school, reading)).isDecided
  const all = namesUpTo(20)
  assert.equal(await isDecided({ received: all }), true)
  assert.equal(await isDecided({ received: all, pages: 2 }), true)
  assert.equal(await isDecided({ received: all, outcome: { total: 21 } }), false)
  assert.equal(await isDecided({ received: [], pages: 0 }), true)
  assert.equal(await isDecided({ received: [], threshold: 20 }), false)
  assert.equal(await isDecided({ received: all.slice(1), pages: 2 }), false)
  assert.equal(await isDecided({ received: all.slice(1), pages: 2 }), true)
  // Record 0 is marked by now.
  await kit.write(pushWrite(school, { reference: 'new' }))
  kit.clock.advance(60)
  assert.equal(await isDecided({ received: all.slice(1), graceSeconds: 61 }), false)
  assert.deepEqual(await listMarked(kit), ['0'])
  assert.equal(await isDecided({ received: all.slice(1), graceSeconds: 60 }), true)
  assert.deepEqual(await listMarked(kit), ['0', 'new'])
})

function namesUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index))
}

async function createSchool(kit: StorageKit, count: number): Promise<KitPlatform> {
  const school = await kit.register()
  await school.pull(async (one) => {
    await kit.write(...namesUpTo(count).map((reference) => pullWrite(one, { reference })))
  })
  return school
}

/** Runs one complete pull that returns these records. */
async function readModule(
  kit: StorageKit,
  school: KitPlatform,
  reading: Reading,
): Promise<DetectedOutcome> {
  const { received, pages = 1, missing = kit.storage.missing } = reading
  const started = await school.startRead({
    requested_at: formatRfc3339(kit.clock.now()),
  })
  const { pull_id, snapshotSeq, seen, requested_at } = started.read
  await kit.write(...received.map((reference) => pullWrite(started, { reference })))
  const outcome = await detectMissing(
    {
      missing,
      digests: kit.storage.digests,
      config: {
        HUB_MISSING_FUSE: reading.threshold ?? 100,
        HUB_MISSING_GRACE_SECONDS: reading.graceSeconds ?? 0,
      },
    },
    {
      pull_id,
      snapshotSeq,
      ...{ pushes: 0, version: 0, digest_epoch: 0 },
      full_read_at: null,
      cached_response: null,
      ...{ accepted_rejections: [], review: null },
      history: await kit.storage.digests.readDigest(started.task),
      firstByteSeconds: 60,
      retryUntil: Number.POSITIVE_INFINITY,
      span: null,
      ...{ selections: null, readsAll: false },
      plan: started.task,
      source: (await kit.storage.platforms.readSource(school.platform_id)) ?? assert.fail(),
      signal: reading.signal ?? new AbortController().signal,
      report: async () => undefined,
    },
    {
      total: null,
      counts: { ...noCounts(), received: received.length },
      warnings: [],
      error: null,
      error_cause: null,
      reportsSuccess: true,
      requested_at,
      records: seen.size,
      cached_response: null,
      rejection_groups: null,
      rejection_summary: null,
      ...{ tally: new VersionTally([]), bytes: 0, waitedMs: 0 },
      coverage: {
        ...{ seen, stillMissing: new IdBitset(), rejected: new Set(), unidentified: 0, pages },
        ...reading.coverage,
      },
      held: 0,
      ...reading.outcome,
    },
  )
  await kit.finishPull(pull_id)
  return outcome
}

/** @returns the number of records that the pull marked as missing. */
async function readOnce(...reading: Parameters<typeof readModule>): Promise<number> {
  return (await readModule(...reading)).counts.missing
}

async function listMarked(kit: StorageKit): Promise<string[]> {
  const rows = await kit.records()
  return rows
    .filter((row) => row.missing_since !== null)
    .map((row) => row.reference_number)
    .sort()
}
