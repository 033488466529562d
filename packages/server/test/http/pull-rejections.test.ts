/** Records rejected by a pull: the report of their reasons, and the saved rejected pushes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { RejectedPush } from '@recordhub/protocol'
import Type from 'typebox'
import { diskFull } from '../../src/errors.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform, startPulledHub } from '../helpers/hub/pulled-hub.ts'
import { expectBody } from '../helpers/hub/response.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { rounds } from '../helpers/time/tier.ts'

const Page = Type.Object({ rejected_pushes: Type.Array(RejectedPush) })

const unnamed = { full_name: 'No reference', data: {} }
const listed = { ...simulatedRecord(2), data: [1] }
const text = { ...simulatedRecord(3), data: 'text' }

type Listed = ReturnType<typeof simulatedRecord>

/** Enough records for several commits of a pull. */
const MANY = Array.from({ length: 600 }, (_, index) =>
  simulatedRecord(index + 1, { text: 'x'.repeat(1000) }),
)
const TWELFTH = simulatedRecord(12, { text: 'x'.repeat(1000) })
const changed = (reference: number) => simulatedRecord(reference, { text: 'changed' })

/** The positions of the duplicates. Each has its reference number, the position of the first record and its own. */
const DUPLICATES: readonly (readonly [
  string,
  (records: Listed[]) => Listed[],
  ...(readonly [number, number, number][]),
])[] = [
  ['with changed data in another commit', (r) => [...r, changed(12)], [12, 12, 601]],
  [
    'that occurs twice',
    (r) => [...r.toSpliced(300, 0, changed(12)), { ...changed(12), full_name: 'Other' }],
    [12, 12, 301],
    [12, 12, 602],
  ],
  [
    'whose first occurrence is invalid',
    (r) => [...r.with(11, { ...changed(12), data: 'text' }), changed(12), TWELFTH],
    [12, 601, 602],
  ],
  ['right after the first record', (r) => r.toSpliced(12, 0, TWELFTH), [12, 12, 13]],
  ['with changed data in the same commit', (r) => r.toSpliced(20, 0, changed(12)), [12, 12, 21]],
  ['in another commit', (r) => [...r, TWELFTH], [12, 12, 601]],
  [
    'whose first occurrence replaces an earlier record',
    (r) => r.with(4, changed(590)),
    [590, 5, 590],
  ],
  ['that replaces another record', (r) => r.with(599, changed(12)), [12, 12, 600]],
]

describeHub('records rejected by a pull', (hub, engine) => {
  test('a record with a number of more than 1,000 characters or more than 5,000 keys is rejected', async () => {
    await using kit = await addPulledPlatform(hub)
    const digits = JSON.rawJSON('1'.repeat(1001))
    const keys = Array.from({ length: 5001 }, (_, at) => [`k${at}`, at])
    kit.platform.modules[0]?.records.push(
      simulatedRecord(1),
      { ...simulatedRecord(2), data: { a: [digits] } },
      { ...simulatedRecord(3), data: Object.fromEntries(keys) },
    )
    const task = await kit.pull()
    assert.deepEqual(
      [task.state, task.rejected, task.warnings],
      [
        'succeeded',
        2,
        [
          '1 rejected: Invalid record: data contains a number of more than 1000 characters.',
          '1 rejected: Invalid record: data has more than 5000 keys.',
        ],
      ],
    )
  })

  test('the task and the activity report each reason with its count', async () => {
    await using kit = await addPulledPlatform(hub)
    kit.platform.modules[0]?.records.push(listed, unnamed, simulatedRecord(1), text)
    const reasons = [
      '2 rejected: Invalid record: data must be an object.',
      '1 rejected: Invalid record: reference_number is required.',
    ]
    const task = await kit.pull()
    assert.deepEqual([task.rejected, task.warnings], [3, reasons])
    const entries = await kit.hub.activity()
    const entry = entries.find(({ kind }) => kind === 'pull_task.succeeded')
    assert.ok(entry?.message.endsWith(`: 1 new, 3 rejected. ${reasons.join(' ')}`), entry?.message)
  })

  test('a task that stored none of its records fails, and last_error counts rejections until a pull without', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = kit.platform.modules[0]
    assert.ok(module)
    const { id } = kit.registered
    const platform = async () => only((await hub.platforms()).filter((one) => one.id === id))
    const lastError = async () => (await platform()).last_error
    const numeric = [1, 2].map((at) => ({ ...simulatedRecord(at), reference_number: at }))
    module.records = [...numeric, listed]
    const failed = await kit.pull()
    const error =
      'No record was stored: 3 of 3 records rejected, 2 of them: Invalid record: reference_number must be a string.'
    const first = `${error} The first one has the reference number 1.`
    assert.deepEqual([failed.state, failed.error, failed.rejected], ['failed', first, 3])
    assert.equal(failed.pull.state, 'failed')
    assert.equal(await lastError(), error)
    module.records = [simulatedRecord(1), listed]
    const partly = await kit.pull()
    assert.deepEqual([partly.state, partly.error], ['succeeded', null])
    assert.equal(
      await lastError(),
      '1 of 2 records rejected: Invalid record: data must be an object.',
    )
    const { state, reasons } = (await platform()).health
    assert.equal(state, 'needs_attention')
    assert.deepEqual(
      reasons.map(({ code }) => code),
      ['rejections_open', 'modules_incomplete'],
    )
    module.records = [simulatedRecord(1)]
    await kit.pull()
    assert.equal(await lastError(), null)
    assert.equal((await platform()).health.state, 'healthy')
  })

  for (const [where, list, ...expected] of DUPLICATES.slice(0, rounds(3, DUPLICATES.length))) {
    test(`a duplicate ${where} is rejected with both positions in every pull`, async () => {
      await using kit = await addPulledPlatform(hub)
      const module = kit.platform.modules[0]
      assert.ok(module)
      const records = list(MANY)
      module.records = records
      const reasons = expected.map(
        ([reference, first, position]) =>
          `Reference number R-${reference} was already sent at position ${first}; this one is at position ${position}. The first one was kept.`,
      )
      const stored = new Set(records.map((record) => record.reference_number)).size
      for (let round = 1; round <= rounds(2, 3); round += 1) {
        const task = await kit.pull()
        assert.deepEqual(
          [task.state, task.received, task.rejected, task.missing],
          ['succeeded', records.length, records.length - stored, 0],
        )
        assert.equal(round === 1 ? task.created : task.unchanged, stored)
        const warning = `${expected.length} rejected: Duplicate reference number; the first one was kept.`
        assert.ok(task.warnings.includes(warning), task.warnings.join())
        const rows = (await kit.rejected()).filter(({ code }) => code === 'duplicate_reference')
        assert.deepEqual(rows.map(({ message }) => message).sort(), reasons.toSorted())
        for (const { count } of rows) assert.equal(count, round)
        for (const [, , position] of expected) {
          const body = records[position - 1]
          assert.ok(rows.some((row) => isDeepStrictEqual(row.body, body)))
        }
      }
    })
  }

  test('a rejection that cannot be stored while the records are written fails the module, and the next pull succeeds', async () => {
    let isFull = true
    const failed = Promise.withResolvers<void>()
    await using kit = await startPulledHub(engine, {
      wrap: (storage) => ({
        ...storage,
        rejectedPushes: {
          ...storage.rejectedPushes,
          async saveRejectedPushes(...parameters) {
            if (!isFull) return storage.rejectedPushes.saveRejectedPushes(...parameters)
            failed.resolve()
            throw diskFull(new Error('database or disk is full'))
          },
        },
        records: {
          ...storage.records,
          async applyWrites(batch) {
            await failed.promise
            // The rejection of the promise is reported before the next iteration of the event loop.
            await new Promise((resolve) => setImmediate(resolve))
            return storage.records.applyWrites(batch)
          },
        },
      }),
    })
    const module = kit.platform.modules[0]
    assert.ok(module)
    module.records = [simulatedRecord(1), unnamed]
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.match(task.error ?? '', /The disk of the hub's database is full/)
    isFull = false
    const next = await kit.pull()
    assert.deepEqual([next.state, next.rejected], ['succeeded', 1])
    assert.equal((await kit.rejected()).length, 1)
  })

  test('a new reason is logged even if the number of rejected records is the same', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = kit.platform.modules[0]
    assert.ok(module)
    const { platform_name } = kit.platform
    const warnings = async () =>
      (await kit.hub.activity()).filter(
        (entry) => entry.level === 'warning' && entry.platform_name === platform_name,
      ).length
    module.records = [simulatedRecord(1), unnamed]
    await kit.pull()
    await kit.pull()
    assert.equal(await warnings(), 1)
    module.records = [simulatedRecord(1), listed]
    await kit.pull()
    assert.equal(await warnings(), 2)
  })

  test('a warning says that only the first 100 of 150 rejected records are saved', async () => {
    await using kit = await addPulledPlatform(hub)
    const many = Array.from({ length: 150 }, (_, number) => ({ ...unnamed, number }))
    kit.platform.modules[0]?.records.push(...many)
    const task = await kit.pull()
    assert.deepEqual(task.warnings.slice(1), [
      'Only the first 100 of the 150 rejected records are stored.',
    ])
    const url = `/api/v1/rejected-pushes?limit=500&pull=${task.pull.id}`
    const saved = expectBody(await kit.hub.get(url), 200, Page).rejected_pushes
    assert.equal(saved.length, 100)
  })
})
