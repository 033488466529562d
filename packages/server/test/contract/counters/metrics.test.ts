import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import { missingReview } from '../../helpers/storage/missing.ts'

test('an empty storage has only zeros, and a size', async ({ storage, engine }) => {
  const { database_bytes, wal_bytes, threads, ...figures } =
    await storage.metricFigures.readFigures()
  assert.ok(database_bytes > 0)
  assert.equal(wal_bytes === null, engine.name === 'PostgreSQL')
  assert.ok(threads.every(({ requests }) => requests === 0))
  assert.deepEqual(figures, {
    platforms: [],
    ...{ modules: 0, records: 0, missing: 0, pending_reviews: 0, rejected_bytes: 0 },
    ...{ sessions: 0, alerts: {} },
    pulls: { queued: 0, running: 0 },
    pull_tasks: { queued: 0, running: 0 },
  })
})

test('figures contain platforms, records, pulls, reviews and alerts', async (kit) => {
  const { storage } = kit
  kit.clock.set('2026-03-10T07:00:00.000Z')
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const clinic = await kit.register({ name: 'clinic' })
  await kit.setStatus(clinic, 'inactive')
  const references = ['r-1', 'r-2', 'r-3']
  await kit.write(...references.map((reference) => pushWrite(school, { reference })))
  const alert = { kind: 'disk_low', subject: 'disk', platform: null, message: 'Low' } as const
  await storage.alerts.applyAlertChanges({ raise: [alert], resolve: [], reword: [] })
  const read = await school.startRead()
  const during = await storage.metricFigures.readFigures()
  assert.deepEqual(during.pulls, { queued: 0, running: 1 })
  assert.deepEqual(during.pull_tasks, { queued: 1, running: 1 })
  const opened = { level: 'warning', kind: 'missing.review', message: 'Review' } as const
  await storage.missing.createReview(missingReview(read), null, opened)
  await kit.markMissing(read, ['r-1'])
  await kit.finishPull(read.read.pull_id)
  const after = await storage.metricFigures.readFigures()
  assert.deepEqual(after.pulls, { queued: 0, running: 0 })
  assert.deepEqual(after.pull_tasks, { queued: 0, running: 0 })
  assert.deepEqual(
    [after.modules, after.records, after.missing, after.pending_reviews, after.alerts],
    [3, 3, 1, 1, { disk_low: 1 }],
  )
  const names = after.platforms.map(({ platform_name, status, records, pushes }) => [
    ...[platform_name, status, records, pushes],
  ])
  assert.deepEqual(names, [
    ['school', 'active', 3, 3],
    ['clinic', 'inactive', 0, 0],
  ])
})
