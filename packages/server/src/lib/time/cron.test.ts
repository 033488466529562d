import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeep } from '../../../test/helpers/time/tier.ts'
import { isCronPattern, nextCronTime, runOnSchedule } from './cron.ts'

test('cron patterns have five fields, or are aliases', () => {
  for (const pattern of ['* * * * *', ' 30 6 * * THU ', '0 0 L * *', '@daily']) {
    assert.equal(isCronPattern(pattern), true, pattern)
  }
  for (const pattern of [
    '',
    '*',
    '* * * *',
    'H * * * *',
    '* * * * * *',
    '*/10 * * * * *',
    '30 0 6 * * THU',
    '0 0 0 1 1 * 2099',
    '2099-01-01T00:00:00',
    '0 0 31 2 *',
    'often',
  ]) {
    assert.equal(isCronPattern(pattern), false, pattern)
  }
})

test('the next time is in the time zone of the schedule', () => {
  const after = new Date('2026-03-28T22:59:59Z')
  const next = (timeZone: string) => nextCronTime('0 0 * * *', timeZone, after)?.toISOString()
  assert.equal(next('UTC'), '2026-03-29T00:00:00.000Z')
  assert.equal(next('Europe/Berlin'), '2026-03-28T23:00:00.000Z')
})

/** The deep tier checks all zones, years and patterns, every ten minutes. */
const PATTERNS = [
  ...['*/10 * * * *', '0 * * * *', '0 2 * * *', '*/30 1-3 * * *'],
  ...(isDeep ? ['* * * * *', '15,45 * * * *', '0 */2 * * *', '30 2 * * *', '0 0 * * *'] : []),
  ...(isDeep ? ['45 1 * * 0', '30 0 1 * *'] : []),
]
/** Clocks change by half an hour, at a quarter to three, by two hours, for Ramadan, and in the usual way. */
const HARD_ZONES = [
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'Antarctica/Troll', 'Africa/Casablanca'],
  'America/New_York',
]
const STEP_MINUTES = isDeep ? 10 : 30

test('around every change of the clocks, the next time is later, and none is skipped but those that the change removes', () => {
  const zones = isDeep ? Intl.supportedValuesOf('timeZone') : HARD_ZONES
  const years = isDeep ? [2025, 2026, 2027, 2028, 2029, 2030] : [2026]
  const wrong: string[] = []
  const checked = new Set<string>()
  for (const zone of zones) {
    const localTime = createLocalTime(zone)
    for (const at of years.flatMap((year) => findChanges(localTime, year))) {
      const [before, after] = [localTime(at - 1).offset, localTime(at).offset]
      // Most zones share their changes with others.
      const key = [at, before, after].join()
      if (checked.has(key)) continue
      checked.add(key)
      const minutes = Array.from({ length: 420 }, (_, index) => at + (index - 180) * MINUTE_MS)
      const clocks = minutes.map((minute) => [minute, localTime(minute).shown] as const)
      for (const pattern of PATTERNS) {
        wrong.push(...checkAround({ at, shift: after - before, clocks }, pattern, zone))
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(checked.size >= (isDeep ? 250 : 10), `${checked.size} changes`)
})

const MINUTE_MS = 60_000
type LocalTime = ReturnType<typeof createLocalTime>

/** Converts an instant into the time that clocks in a zone show, as a date in UTC. */
function createLocalTime(timeZone: string) {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('sv', { timeZone, ...parts, ...time })
  return (at: number) => {
    const shown = new Date(`${format.format(at).replace(' ', 'T')}Z`)
    return { shown, offset: shown.getTime() - Math.floor(at / 1000) * 1000 }
  }
}

/** The instants of a year at which the clocks change. */
function findChanges(localTime: LocalTime, year: number): number[] {
  const found: number[] = []
  const end = Date.UTC(year + 1, 0)
  for (let from = Date.UTC(year, 0), to = from; from < end; from = to) {
    to = from + 7 * 86_400_000
    const { offset } = localTime(from)
    if (localTime(to).offset === offset) continue
    let [low, high] = [from, to]
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
      if (localTime(middle).offset === offset) low = middle
      else high = middle
    }
    found.push(high)
  }
  return found
}

/** A change of the clocks, and the times that they show in the minutes around it. */
type Change = { at: number; shift: number; clocks: (readonly [minute: number, shown: Date])[] }

/** Finds the next time from many times around a change, and returns what is wrong. */
function checkAround({ at, shift, clocks }: Change, pattern: string, zone: string): string[] {
  const wrong: string[] = []
  // A time that the change repeats is due once if it is the only one of a day.
  const isOnce = /^\d+ \d+ /.test(pattern)
  const due = clocks
    .filter(([, shown]) => matches(pattern, shown))
    .map(([minute]) => minute)
    .filter((minute) => !(isOnce && minute >= at && minute < at - shift))
  for (let offset = -180; offset <= 180; offset += STEP_MINUTES) {
    for (const from of [at + offset * MINUTE_MS, at + offset * MINUTE_MS + 7]) {
      const next = nextCronTime(pattern, zone, new Date(from))?.getTime() ?? Number.NaN
      const expected = due.find((minute) => minute > from)
      // A time that the change removes may come right after it.
      const isMoved = isOnce && shift > 0 && next === at && next > from
      const isLater = expected === undefined && next > at + 239 * MINUTE_MS
      if (next === expected || isMoved || isLater) continue
      wrong.push(
        `${zone} ${pattern}: ${new Date(from).toISOString()} ${new Date(next).toISOString()}`,
      )
    }
  }
  return wrong
}

/** Whether a pattern without names matches the time that clocks show. */
function matches(pattern: string, shown: Date): boolean {
  const values = [
    ...[shown.getUTCMinutes(), shown.getUTCHours(), shown.getUTCDate()],
    ...[shown.getUTCMonth() + 1, shown.getUTCDay()],
  ]
  return pattern.split(' ').every((field, index) =>
    field.split(',').some((part) => {
      const value = values[index] ?? Number.NaN
      const [range = '', step = '1'] = part.split('/')
      const [from = 0, to = from] = range === '*' ? [0, 99] : range.split('-').map(Number)
      return value >= from && value <= to && (value - from) % Number(step) === 0
    }),
  )
}

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

test('two runs are a second or more apart, also if the clock is set to just before a time', async () => {
  const options = { runs: 3, onWait: setOnce(2, 3_600_000 + 29_900) }
  assert.deepEqual(await runSchedule('* * * * *', '2026-03-10T08:00:30Z', options), [
    '2026-03-10T08:01:00.000Z',
    '2026-03-10T09:01:59.900Z',
    '2026-03-10T09:02:00.900Z',
  ])
})
