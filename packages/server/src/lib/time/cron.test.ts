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

/** Runs a schedule on a simulated clock until it has run `runs` times. `onRun` may set the clock. */
async function runSchedule(
  pattern: string,
  startAt: string,
  { runs, onRun, onWait }: { runs: number; onRun?: (run: number) => number; onWait?: () => number },
): Promise<string[]> {
  let now = Date.parse(startAt)
  const ending = new AbortController()
  const ranAt: string[] = []
  const time = {
    clock: { now: () => new Date(now) },
    async wait(milliseconds: number, signal: AbortSignal) {
      now += milliseconds + (onWait?.() ?? 0)
      return !signal.aborted
    },
  }
  await runOnSchedule(
    { pattern, timeZone: 'UTC' },
    ending.signal,
    async () => {
      ranAt.push(new Date(now).toISOString())
      if (ranAt.length === runs) ending.abort()
      // A loop that did not wait for the action would continue at the time of its start.
      await Promise.resolve()
      now += onRun?.(ranAt.length) ?? 0
    },
    time,
  )
  return ranAt
}

/** Sets the clock by `ms` at the given wait. */
function setOnce(atWait: number, ms: number): () => number {
  let waits = 0
  return () => {
    waits += 1
    return waits === atWait ? ms : 0
  }
}

test('the action runs at each time, and times that pass while it runs are skipped', async () => {
  const onRun = (run: number) => (run === 1 ? 130_000 : 0)
  const ranAt = await runSchedule('* * * * *', '2026-03-10T08:00:30Z', { runs: 2, onRun })
  assert.deepEqual(ranAt, ['2026-03-10T08:01:00.000Z', '2026-03-10T08:04:00.000Z'])
})

test('after a clock is set back by an hour, the action runs at the next time, not an hour later', async () => {
  const duringWait = { runs: 2, onWait: setOnce(2, -3_600_000) }
  assert.deepEqual(await runSchedule('* * * * *', '2026-03-10T08:00:30Z', duringWait), [
    '2026-03-10T08:01:00.000Z',
    '2026-03-10T07:02:00.000Z',
  ])
  const duringRun = { runs: 2, onRun: (run: number) => (run === 1 ? -3_600_000 : 0) }
  assert.deepEqual(await runSchedule('* * * * *', '2026-03-10T08:00:30Z', duringRun), [
    '2026-03-10T08:01:00.000Z',
    '2026-03-10T07:02:00.000Z',
  ])
})

test('after a clock is set forward by an hour, the skipped times are one run', async () => {
  const options = { runs: 3, onWait: setOnce(2, 3_600_000) }
  assert.deepEqual(await runSchedule('* * * * *', '2026-03-10T08:00:30Z', options), [
    '2026-03-10T08:01:00.000Z',
    '2026-03-10T09:01:30.000Z',
    '2026-03-10T09:02:00.000Z',
  ])
})

test('a small correction of the clock does not repeat a run', async () => {
  const onRun = (run: number) => (run === 1 ? -500 : 0)
  const ranAt = await runSchedule('0 3 * * *', '2026-03-10T02:59:50Z', { runs: 2, onRun })
  assert.deepEqual(ranAt, ['2026-03-10T03:00:00.000Z', '2026-03-11T03:00:00.000Z'])
})
