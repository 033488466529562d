import assert from 'node:assert/strict'
import { RETENTION_NOUNS } from '../../../src/domain/activity/retention.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import { listActivity, only } from '../../helpers/storage/fixtures.ts'
import { withStorage } from '../../helpers/storage/kit.ts'
import { taskResult } from '../../helpers/storage/pulls.ts'
import { createRow, deleteOld, timesOf } from '../../helpers/storage/retention.ts'
import { rounds } from '../../helpers/time/tier.ts'

const DAY = 24 * 3600

test('retention deletes exactly the rows older than the cutoff, in small steps', async (kit) => {
  const { engine } = kit
  const gaps = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...RETENTION_NOUNS),
      gaps,
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 2, max: 6 }),
      async (noun, days, cutoff, limit) => {
        await withStorage(engine, async (kit) => {
          const school = await kit.register()
          const begin = kit.clock.now().getTime()
          if (noun === 'history') await school.post({ data: '{"first":1}' })
          for (const gap of days) {
            kit.clock.advance(gap * DAY)
            await createRow(kit, school, noun)
          }
          const before = new Date(begin + cutoff * DAY * 1000 + 1).toISOString()
          const all = await timesOf(kit.storage, noun)
          const newer = all.filter((at) => at >= before)
          // The newest pull is never deleted.
          const remaining = noun === 'pulls' && newer.length === 0 ? all.slice(-1) : newer
          await deleteOld(kit.storage, noun, before, limit)
          assert.deepEqual(await timesOf(kit.storage, noun), remaining)
          assert.equal(await deleteOld(kit.storage, noun, before, limit), 0)
        })()
      },
    ),
    { numRuns: rounds(4, 50) },
  )
})

test('pending reviews, open alerts and running pulls are never deleted', async (kit) => {
  const school = await kit.register()
  const { read } = await school.startRead()
  const { platform_id, module_id, pull_id } = read
  const numbers = { missing: 20, records: 50, fingerprint: 'these' }
  const entry = { level: 'warning', kind: 'missing.needs_review', message: 'Many' } as const
  const review = { platform_id, module_id, pull_id, ...numbers, record_ids: [] }
  await kit.storage.missing.createReview(review, null, entry)
  const alert = { kind: 'disk_low', subject: 'disk', platform: null, message: 'Low' } as const
  await kit.storage.alerts.applyAlertChanges({ raise: [alert], resolve: [], reword: [] })
  kit.clock.advance(5000 * DAY)
  for (const noun of ['missing_reviews', 'alerts', 'pulls'] as const) {
    assert.equal(await deleteOld(kit.storage, noun, kit.clock.text), 0)
  }
  assert.equal(await kit.countRows('pull_tasks'), 1)
})

test('deleting old pulls does not change platform health, snapshot or skipping', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  await kit.register({ name: 'clinic' })
  await school.pull(async () => undefined)
  const pullOnceFailing = async () => {
    const { pull_id, tasks } = await kit.startPull()
    for (const { task_number, platform_id } of tasks) {
      await storage.pulls.startTask(pull_id, task_number)
      const failed = { state: 'failed', error: 'It hangs', problem: 'It hangs' } as const
      const result = platform_id === school.platform_id ? taskResult(failed) : taskResult()
      await storage.pulls.finishTask(pull_id, task_number, result, null)
    }
    await storage.pulls.finishPull(
      pull_id,
      { state: 'partial', unfinishedTasks: 'not_reached' },
      { level: 'info', kind: 'pull.partial', message: 'Ended' },
    )
  }
  for (let round = 1; round <= 6; round += 1) await pullOnceFailing()
  clock.advance(60)
  const readState = async () => {
    const { latest_sync, platforms } = await storage.snapshot.readSnapshot(clock.day)
    const health = await storage.alerts.listWatchedPlatforms()
    return { latest_sync, platforms, health: health.map((one) => ({ ...one })) }
  }
  const before = await readState()
  assert.ok((await deleteOld(storage, 'pulls', clock.text)) > 6)
  assert.equal((await storage.pulls.listPulls({ limit: 100, before: null })).length, 1)
  assert.deepEqual(await readState(), before)
  // The failing platform is still skipped, and its error is still stored.
  const request = { requested_by: null, lease: { owner: 'node', seconds: 30 }, only: null }
  const { pull } = await storage.pulls.requestPull({ trigger: 'schedule', ...request })
  const tasks = await storage.pulls.listTasks({ pull_id: pull.id, limit: 9, after: null })
  const states = Object.fromEntries(tasks.map((task) => [task.platform_name, task.state]))
  assert.deepEqual(states, { school: 'skipped', clinic: 'queued' })
  await storage.pulls.interruptPulls()
  const again = await kit.startPull()
  assert.deepEqual(again.tasks.map((task) => task.problem).sort(), ['It hangs', null])
})

test('a pull with more tasks than one step may delete is deleted completely in several steps', async (kit) => {
  const modules = Array.from({ length: 8 }, (_, index) => `m-${index}`)
  const school = await kit.register({ modules })
  await school.pull(async () => undefined, { record_type: 'm-1' })
  await school.pull(async () => undefined, { record_type: 'm-1' })
  kit.clock.advance(60)
  assert.equal(await deleteOld(kit.storage, 'pulls', kit.clock.text, 3), 9)
  assert.equal(await kit.countRows('pull_tasks'), 8)
})

test('the start of the complete history is recorded and never moves back', async (kit) => {
  const { retention } = kit.storage
  const school = await kit.register()
  await school.post()
  const times: string[] = []
  for (let index = 1; index <= 6; index += 1) {
    kit.clock.advance(DAY)
    times.push(kit.clock.text)
    await school.post({ data: `{"a":${index}}` })
  }
  const [first = '', , third = ''] = times
  assert.equal(await deleteOld(kit.storage, 'history', first), 0)
  assert.equal(await retention.historyCompleteSince(), null)
  assert.equal(await deleteOld(kit.storage, 'history', third), 2)
  assert.equal(await retention.historyCompleteSince(), third)
  assert.equal(await deleteOld(kit.storage, 'history', first), 0)
  assert.equal(await retention.historyCompleteSince(), third)
  const [record] = await kit.records()
  const remaining = await kit.history(record?.record_id ?? -1)
  assert.deepEqual(
    remaining.map((change) => change.at),
    times.slice(2).reverse(),
  )
  const reopened = await kit.reopen()
  assert.equal(await reopened.retention.historyCompleteSince(), third)
})

test('deleting old rejected pushes frees the quota of their platform', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  for (let index = 0; index < 7; index += 1) {
    await createRow(kit, index % 2 === 0 ? school : clinic, 'rejected_pushes')
    kit.clock.advance(DAY)
  }
  const before = new Date(kit.clock.now().getTime() - 2.5 * DAY * 1000).toISOString()
  const both = [1, 2].map(() => deleteOld(kit.storage, 'rejected_pushes', before, 2))
  const [one = 0, other = 0] = await Promise.all(both)
  assert.equal(one + other, 5)
  const sums =
    await kit.runSql(`SELECT p.rejected_bytes AS counted, coalesce(sum(r.bytes), 0) AS stored FROM platforms p
           LEFT JOIN rejected_pushes r ON r.platform_id = p.platform_id
           GROUP BY p.platform_id, p.rejected_bytes`)
  assert.equal(sums.length, 2)
  for (const { counted, stored } of sums) assert.equal(Number(counted), Number(stored))
})

test('all but the configured number of newest activity entries are deleted', async (kit) => {
  const { retention, activity } = kit.storage
  const entry = (index: number) =>
    ({ level: 'info', kind: 'test.entry', message: `Entry ${index}` }) as const
  for (let index = 1; index <= 20; index += 1) await activity.appendActivity(entry(index))
  let after: number | null = null
  do {
    const step = await retention.trimActivity(6, { limit: 4, after })
    assert.ok(step.deleted <= 4)
    after = step.next
  } while (after !== null)
  const query = { platform: null, level: null, limit: 100, before: null }
  const remaining = await listActivity(activity, query)
  assert.deepEqual(
    remaining.map(({ message }) => message),
    [20, 19, 18, 17, 16, 15].map((index) => `Entry ${index}`),
  )
  const none = await retention.trimActivity(6, { limit: 4, after: null })
  assert.deepEqual(none, { deleted: 0, next: null })
})

test('retention does not delete records whose history has expired, and frees disk space until none is left', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post()
  for (let index = 0; index < 3; index += 1) await createRow(kit, school, 'history')
  kit.clock.advance(5000 * DAY)
  for (const noun of RETENTION_NOUNS) await deleteOld(kit.storage, noun, kit.clock.text, 100)
  let steps = 0
  while (await kit.storage.retention.reclaimSpace()) {
    steps += 1
    assert.ok(steps < 1000, 'the loop does not end')
  }
  assert.equal(only(await kit.records()).record_id, record_id)
  assert.deepEqual(await kit.history(record_id), [])
})
