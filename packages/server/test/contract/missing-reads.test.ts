/** What whole reads make of the records that they did not bring, on a real storage. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ReadExtent } from '../../src/domain/missing.ts'
import { noCounts } from '../../src/domain/pull.ts'
import { type JudgedOutcome, markGone } from '../../src/features/pull/mark-gone.ts'
import type { PullTaskOutcome } from '../../src/features/pull/run-pull-task.ts'
import type { MissingStore } from '../../src/storage/port/missing-store.ts'
import { type StorageKit, withStorage } from '../helpers/storage/engine.ts'
import { onEachEngine } from '../helpers/storage/engines.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
} from '../helpers/storage/fixtures.ts'
import { beginRead, finishTestPull, pullOnce, pullWrite } from '../helpers/storage/pulls.ts'
import { countRows } from '../helpers/storage/sql.ts'

type Reading = {
  /** References that the read brings. */
  brings: string[]
  pages?: number
  fuse?: number
  outcome?: Partial<PullTaskOutcome>
  extent?: Partial<ReadExtent>
  signal?: AbortSignal
  missing?: MissingStore
}

onEachEngine((engine) => {
  describe(`what whole reads did not bring, on ${engine.name}`, () => {
    test(
      'of several pages, two reads in a row must agree on a record',
      withStorage(engine, async (kit) => {
        const school = await schoolWith(kit, 20)
        const without = (...gone: number[]) =>
          namesUpTo(20).filter((name) => !gone.map(String).includes(name))
        assert.equal(await readOnce(kit, school, { brings: without(1, 2), pages: 2 }), 0)
        assert.equal(await readOnce(kit, school, { brings: without(2, 3), pages: 3 }), 1)
        assert.deepEqual(await markedOf(kit), ['2'])
        assert.equal(await readOnce(kit, school, { brings: without(2, 3, 4), pages: 2 }), 1)
        assert.deepEqual(await markedOf(kit), ['2', '3'])
        // One answer says it all.
        assert.equal(await readOnce(kit, school, { brings: without(2, 3, 4, 5) }), 2)
        assert.equal(await countRows(kit.storage, 'missing_suspects'), 0)
      }),
    )

    test(
      'a read in between that cannot tell breaks the row, a word that nothing has changed does not',
      withStorage(engine, async (kit) => {
        const school = await schoolWith(kit, 20)
        const brings = namesUpTo(20).slice(1)
        const pages = 2
        assert.equal(await readOnce(kit, school, { brings, pages }), 0)
        assert.equal(await readOnce(kit, school, { brings, pages, outcome: { total: 20 } }), 0)
        assert.equal(await readOnce(kit, school, { brings, pages }), 0)
        const error = new Error('cut off')
        assert.equal(await readOnce(kit, school, { brings: [], pages: 0, outcome: { error } }), 0)
        assert.equal(await readOnce(kit, school, { brings, pages }), 0)
        assert.equal(await readOnce(kit, school, { brings: [], pages: 0 }), 0)
        assert.equal(await readOnce(kit, school, { brings, pages }), 1)
      }),
    )

    test(
      'many are marked in several transactions, between which pushes come through',
      withStorage(engine, async (kit) => {
        const school = await schoolWith(kit, 1200)
        const sizes: number[] = []
        const missing: MissingStore = {
          ...kit.storage.missing,
          async markMissing(batch) {
            sizes.push(batch.records.length)
            const push = write(kit, pushWrite(school, { reference: `pushed ${sizes.length}` }))
            const outcome = await kit.storage.missing.markMissing(batch)
            await push
            return outcome
          },
        }
        assert.equal(await readOnce(kit, school, { brings: [], missing }), 1200)
        assert.deepEqual(sizes, [500, 500, 200])
        assert.deepEqual(await markedOf(kit), namesUpTo(1200).sort())
      }),
    )

    for (const how of ['its signal', 'another node'] as const) {
      test(
        `a pull that is stopped half-way by ${how} leaves whole marks, and the next read goes on`,
        withStorage(engine, async (kit) => {
          const school = await schoolWith(kit, 1200)
          const stopping = new AbortController()
          const missing: MissingStore = {
            ...kit.storage.missing,
            async markMissing(batch) {
              const outcome = await kit.storage.missing.markMissing(batch)
              if (how === 'its signal') stopping.abort()
              else await finishTestPull(kit.storage, batch.pull_id, 'cancelled')
              return outcome
            },
          }
          const { signal } = stopping
          const outcome = await read(kit, school, { brings: [], missing, signal })
          assert.equal(outcome.counts.missing, 500)
          assert.match(String(outcome.error), /pull .* is over/)
          assert.equal((await markedOf(kit)).length, 500)
          assert.equal(await readOnce(kit, school, { brings: [] }), 700)
        }),
      )
    }

    test(
      'where all is there, no record is looked at and nothing is written',
      withStorage(engine, async (kit) => {
        const school = await schoolWith(kit, 20)
        await readOnce(kit, school, { brings: namesUpTo(20).slice(2) })
        const fail = async () => assert.fail('This is not needed')
        const missing: MissingStore = {
          ...kit.storage.missing,
          listUnmet: fail,
          findPresent: fail,
          markMissing: fail,
          askForReview: fail,
          changeReview: fail,
          closeReview: fail,
          rememberSuspects: fail,
        }
        const outcome = await read(kit, school, { brings: namesUpTo(20).slice(2), missing })
        assert.deepEqual([outcome.error, outcome.counts.missing], [null, 0])
      }),
    )

    test(
      'it is told whether anything is left to be judged by the next read',
      withStorage(engine, async (kit) => {
        const school = await schoolWith(kit, 20)
        const isSettled = async (reading: Reading) => (await read(kit, school, reading)).isSettled
        const all = namesUpTo(20)
        assert.equal(await isSettled({ brings: all }), true)
        assert.equal(await isSettled({ brings: all, pages: 2 }), true)
        assert.equal(await isSettled({ brings: all, outcome: { total: 21 } }), false)
        assert.equal(await isSettled({ brings: [], pages: 0 }), true)
        assert.equal(await isSettled({ brings: [], fuse: 20 }), false)
        assert.equal(await isSettled({ brings: all.slice(1), pages: 2 }), false)
        assert.equal(await isSettled({ brings: all.slice(1), pages: 2 }), true)
      }),
    )
  })
})

function namesUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index))
}

async function schoolWith(kit: StorageKit, count: number): Promise<TestPlatform> {
  const school = await registerTestPlatform(kit)
  await pullOnce(kit, school, async (one) => {
    await write(kit, ...namesUpTo(count).map((reference) => pullWrite(one, { reference })))
  })
  return school
}

/** One whole pull whose read brings these records. */
async function read(
  kit: StorageKit,
  school: TestPlatform,
  reading: Reading,
): Promise<JudgedOutcome> {
  const { brings, pages = 1, missing = kit.storage.missing } = reading
  const begun = await beginRead(kit.storage, school)
  const { pull_id, mark, seen, requested_at } = begun.read
  await write(kit, ...brings.map((reference) => pullWrite(begun, { reference })))
  const outcome = await markGone(
    { missing, missingFusePercent: reading.fuse ?? 100 },
    {
      pull_id,
      mark,
      pushes: 0,
      kept: null,
      endsAt: Number.POSITIVE_INFINITY,
      plan: begun.task,
      source: (await kit.storage.platforms.readSource(school.platform_id)) ?? assert.fail(),
      signal: reading.signal ?? new AbortController().signal,
      report: async () => undefined,
    },
    {
      total: null,
      counts: { ...noCounts(), received: brings.length },
      warnings: [],
      error: null,
      requested_at,
      records: seen.size,
      kept: null,
      extent: { seen, rejected: new Set(), unnamed: 0, pages, ...reading.extent },
      ...reading.outcome,
    },
  )
  await finishTestPull(kit.storage, pull_id)
  return outcome
}

/** @returns how many records the read marked. */
async function readOnce(...reading: Parameters<typeof read>): Promise<number> {
  return (await read(...reading)).counts.missing
}

async function markedOf({ storage }: StorageKit): Promise<string[]> {
  const rows = await listRecords(storage)
  return rows
    .filter((row) => row.missing_since !== null)
    .map((row) => row.reference_number)
    .sort()
}
