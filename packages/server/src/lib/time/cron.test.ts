import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCronPattern, nextCronTime, runOnSchedule } from './cron.ts'

test('cron patterns have five or six fields, or are aliases', () => {
  for (const pattern of ['* * * * *', '30 0 6 * * THU', '0 0 L * *', '@daily']) {
    assert.equal(isCronPattern(pattern), true, pattern)
  }
  for (const pattern of [
    '',
    '*',
    '* * * *',
    'H * * * *',
    '0 0 0 1 1 * 2099',
    '0 0 31 2 *',
    'often',
  ]) {
    assert.equal(isCronPattern(pattern), false, pattern)
  }
})

test('the next time is in the time zone of the schedule', () => {
  const after = new Date('2026-03-28T22:59:59Z')
  const next = (timeZone: string) => nextCronTime('0 0 * * *', timeZone, after).toISOString()
  assert.equal(next('UTC'), '2026-03-29T00:00:00.000Z')
  assert.equal(next('Europe/Berlin'), '2026-03-28T23:00:00.000Z')
})

test('the action runs at each time, and times that pass while it runs are skipped', async () => {
  let now = Date.parse('2026-03-10T08:00:30Z')
  const time = {
    now: () => new Date(now),
    async sleep(milliseconds: number, signal: AbortSignal) {
      now += milliseconds
      return !signal.aborted
    },
  }
  const ending = new AbortController()
  const ranAt: string[] = []
  const action = async () => {
    ranAt.push(time.now().toISOString())
    if (ranAt.length === 1) now += 130_000
    else ending.abort()
  }
  await runOnSchedule({ pattern: '* * * * *', timeZone: 'UTC' }, ending.signal, action, time)
  assert.deepEqual(ranAt, ['2026-03-10T08:01:00.000Z', '2026-03-10T08:04:00.000Z'])
})
