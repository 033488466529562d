import assert from 'node:assert/strict'
import { createRequestPull, createScheduledPull } from '../../../src/features/pulls/request-pull.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog } from '../../helpers/storage/fixtures.ts'
import { LEASE } from '../../helpers/storage/pulls.ts'

test('the schedule starts a pull only if it is not paused, a platform can be pulled and no pull is running', async (kit) => {
  const { pulls, platforms, schedule } = kit.storage
  const dispatched: number[] = []
  const dispatch = async (pullId: number) => void dispatched.push(pullId)
  const requestPull = createRequestPull({ pulls, pullDispatcher: { dispatch }, lease: LEASE })
  const runSchedule = createScheduledPull({ platforms, schedule, requestPull })
  await runSchedule()
  assert.deepEqual(dispatched, [])
  await kit.register()
  await schedule.setPaused(true, 'ann', changeLog('schedule.paused'))
  await runSchedule()
  assert.deepEqual(dispatched, [])
  await schedule.setPaused(false, 'ann', changeLog('schedule.resumed'))
  await runSchedule()
  await runSchedule()
  assert.equal(dispatched.length, 1)
  const [pull, ...others] = await pulls.listPulls({ limit: 10, before: null })
  assert.equal(pull?.trigger, 'schedule')
  assert.deepEqual(others, [])
})
