import assert from 'node:assert/strict'
import { fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  listHistory,
  listRecords,
  outcomesOf,
  pushWrite,
  type TestPlatform,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { type ModelWrite, RecordModel } from '../../helpers/storage/model.ts'
import { pullWrite, type TestRead } from '../../helpers/storage/pulls.ts'
import { rounds } from '../../helpers/time/tier.ts'

const TYPES = ['students', 'staff'] as const

const instant = fc.integer({ min: 0, max: 5 }).map((n) => `2026-03-10T07:0${n}:00.000000000Z`)
const recordMembers = {
  record_type: fc.constantFrom(...TYPES),
  reference: fc.constantFrom('r-1', 'R-1'),
  full_name: fc.constantFrom('Ann', 'Bob'),
  data: fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '1.0', '{"x":[1e2]}'), {
      maxKeys: 2,
    })
    .map((members) => {
      const texts = Object.entries(members).map(([key, value]) => `"${key}":${value}`)
      return `{${texts.join(',')}}`
    }),
}
const anyPush = fc.record({
  by: fc.constant('push' as const),
  ...recordMembers,
  source: fc.constantFrom('POST' as const, 'PATCH' as const),
  omitsName: fc.boolean(),
  occurred_at: fc.option(instant),
})
const anyPull = fc.record({ by: fc.constant('pull' as const), ...recordMembers })
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constant('write' as const),
      writes: fc.array(fc.oneof(anyPush, anyPull), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constant('begin a pull' as const),
      requested_at: instant,
      manifest_keys: fc.shuffledSubarray(['a', 'b']),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ action: fc.constant('end the pull' as const), complete: fc.boolean() }),
  },
)
type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never

test('any sequence of pushes and pulls has the same result as the model', async (kit) => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 14 }), async (steps) => {
      run += 1
      kit.clock.advance(86_400)
      const name = `platform-${run}`
      const platform = await kit.register({ name, modules: [...TYPES] })
      await assertFollowsModel(kit, platform, steps)
    }),
    { numRuns: rounds(10, 120) },
  )
})

async function assertFollowsModel(
  kit: StorageKit,
  platform: TestPlatform,
  steps: Step[],
): Promise<void> {
  const model = new RecordModel()
  const ids = new Map<string, number>()
  let reads: TestRead[] = []

  async function beginPull(over: { requested_at: string; manifest_keys: string[] }) {
    if (reads.length > 0) return
    const pull = await kit.startPull()
    for (const record_type of TYPES) {
      const read = await kit.startRead(pull, platform, { record_type, ...over })
      model.beginRead(read.task.record_type, read.read)
      reads.push(read)
    }
  }

  async function endPull(complete: boolean) {
    for (const read of complete ? reads : []) {
      await kit.finishRead(read)
      model.finishRead(read.task.record_type, read.read)
    }
    const pullId = reads[0]?.read.pull_id
    if (pullId !== undefined) await kit.finishPull(pullId)
    reads = []
  }

  function toWrite(one: Extract<Step, { action: 'write' }>['writes'][number]): ModelWrite[] {
    if (one.by === 'push') {
      const omitsName = one.source === 'PATCH' && one.omitsName
      return [pushWrite(platform, omitsName ? { ...one, full_name: null } : one)]
    }
    const read = reads.find(({ task }) => task.record_type === one.record_type)
    return read ? [pullWrite(read, one)] : []
  }

  for (const step of steps) {
    if (step.action === 'begin a pull') await beginPull(step)
    else if (step.action === 'end the pull') await endPull(step.complete)
    else {
      const writes = step.writes.flatMap(toWrite)
      const expected = writes.map((one) => model.apply(one))
      const outcomes = await kit.write(...writes)
      assert.deepEqual(outcomesOf(outcomes), expected)
      for (const [index, outcome] of outcomes.entries()) {
        const one = writes[index]
        if (!one || outcome.outcome === 'rejected') continue
        const key = model.keyOf(one)
        assert.equal(outcome.record_id, ids.get(key) ?? outcome.record_id, 'a reference has one id')
        ids.set(key, outcome.record_id)
      }
    }
  }
  await endPull(false)
  await assertSameAs(model, kit, platform)
}

async function assertSameAs(
  model: RecordModel,
  { storage, clock }: StorageKit,
  platform: TestPlatform,
): Promise<void> {
  const stored = new Map<string, unknown>()
  for (const row of await listRecords(storage, { platform: platform.platform_name })) {
    const { full_name, data, incomplete, missing_since } = row
    const history = await listHistory(storage, row.record_id)
    stored.set(`${row.record_type} ${row.reference_number}`, {
      content: { full_name, data, incomplete, missing_since },
      history: history.map(({ source, changes }) => ({ source, changes })),
    })
  }
  const expected = new Map<string, unknown>()
  for (const [key, { state, history }] of model.records) {
    const { full_name, data, incomplete, missing_since } = state
    expected.set(key, { content: { full_name, data, incomplete, missing_since }, history })
  }
  assert.deepEqual(stored, expected)
  const { stats } = await storage.snapshot.readSnapshot(clock.day)
  assert.deepEqual(
    { received: stats.received_today, created: stats.created_today, updated: stats.updated_today },
    model.counts,
  )
}
