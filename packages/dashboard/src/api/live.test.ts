import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schedule } from '@recordhub/protocol'
import { replaceDocument } from '../lib/test-document.ts'
import { emptySnapshot, STARTED } from '../lib/test-pulls.ts'
import {
  connection,
  onChange,
  onSchedule,
  showSchedule,
  snapshot,
  snapshotAge,
  startLive,
  stateTime,
} from './live.ts'
import { session } from './session.ts'

const NOW = Date.parse('2026-11-21T07:30:00.000Z')
const HOUR_MS = 3_600_000

test('a page over the rate limit says so without a sign-in, reads its data again after the limit, and knows their age', async (t) => {
  replaceDocument()
  t.mock.method(Date, 'now', () => NOW)
  const statuses = [429, 304]
  t.mock.method(globalThis, 'fetch', async () => {
    const headers = { Date: new Date(NOW + HOUR_MS).toUTCString() }
    return new Response(null, { status: statuses.shift() ?? 500, headers })
  })
  let onTimer = (_poll: () => void) => {}
  t.mock.method(globalThis, 'setTimeout', (poll: () => void) => onTimer(poll))
  const nextTimer = () => new Promise<() => void>((resolve) => (onTimer = resolve))
  const started = nextTimer()
  startLive()
  const poll = await started
  const failed = nextTimer()
  poll()
  const pollAgain = await failed
  assert.deepEqual([connection.get(), session.get().hasEnded], ['rate_limited', false])
  const changed = new Promise<string>((resolve) => onChange(resolve))
  pollAgain()
  assert.equal(await changed, 'snapshot')
  assert.equal(connection.get(), 'polling')
  // Polling does not show the present but the state of the last response, by the clock of the hub.
  assert.deepEqual([snapshotAge(NOW + 5000), stateTime(NOW + 5000)], [5000, NOW + HOUR_MS])
})

test('a schedule that an action or event has returned is shown in the snapshot and in its queries', () => {
  const schedule = { pattern: '* * * * *', paused: true, paused_since: null, paused_by: 'Ann' }
  const shown: Schedule[] = []
  onSchedule((one) => shown.push(one))
  snapshot.set({ ...emptySnapshot, pull: { ...emptySnapshot.pull, next_run_at: STARTED } })
  showSchedule({ ...schedule, next_run_at: null })
  const { schedule_paused, next_run_at } = snapshot.get()?.pull ?? {}
  assert.deepEqual([schedule_paused, next_run_at, shown.length], [true, null, 1])
})
