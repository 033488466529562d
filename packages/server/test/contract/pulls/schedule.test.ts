import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog } from '../../helpers/storage/fixtures.ts'

test('pausing and resuming the schedule are each recorded once', async (kit) => {
  const { schedule, snapshot } = kit.storage
  const isPaused = async () => (await snapshot.readSnapshot(kit.clock.day)).pull.schedule_paused
  assert.equal(await schedule.readPause(), null)
  await schedule.setPaused(false, 'ann', changeLog('schedule.resumed'))
  const since = kit.clock.text
  await schedule.setPaused(true, 'ann', changeLog('schedule.paused'))
  kit.clock.advance(5)
  await schedule.setPaused(true, 'bob', changeLog('schedule.paused'))
  assert.deepEqual(await schedule.readPause(), { since, actor: 'ann' })
  assert.equal(await isPaused(), true)
  const reopened = await kit.reopen()
  assert.deepEqual(await reopened.schedule.readPause(), { since, actor: 'ann' })
  await reopened.schedule.setPaused(false, 'bob', changeLog('schedule.resumed'))
  assert.equal(await reopened.schedule.readPause(), null)
  const entries = await kit.activity()
  assert.deepEqual(
    entries.map((entry) => entry.kind),
    ['schedule.resumed', 'schedule.paused'],
  )
})
