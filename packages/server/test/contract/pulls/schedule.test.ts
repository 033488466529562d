import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import { changeLog, listActivity } from '../../helpers/storage/fixtures.ts'

onEachEngine((engine) => {
  describe(`the schedule on ${engine.name}`, () => {
    test(
      'pausing and resuming the schedule are each recorded once',
      withStorage(engine, async (kit) => {
        const { schedule, snapshot } = kit.storage
        const isPaused = async () =>
          (await snapshot.readSnapshot(kit.clock.day)).pull.schedule_paused
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
        const query = { platform: null, level: null, limit: 10, before: null }
        const entries = await listActivity(reopened.activity, query)
        assert.deepEqual(
          entries.map((entry) => entry.kind),
          ['schedule.resumed', 'schedule.paused'],
        )
      }),
    )
  })
})
