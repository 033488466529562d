import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InboxItem, Schedule } from '@recordhub/protocol'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { replaceDocument } from '../lib/test-document.ts'
import { emptySnapshot, STARTED, testPull } from '../lib/test-pulls.ts'
import { alertPageQuery, missingReviewPageQuery } from './inbox.ts'
import {
  connection,
  hideInboxItem,
  onChange,
  onSchedule,
  retryNow,
  showPull,
  showSchedule,
  snapshot,
  snapshotAge,
  startLive,
  stateTime,
} from './live.ts'
import { COUNTED, createQueryClient, LIVE } from './queries.ts'
import { session } from './session.ts'

const NOW = Date.parse('2026-11-21T07:30:00.000Z')
const HOUR_MS = 3_600_000

test('a page over the rate limit says so without a sign-in, reads its data again after the limit, and knows their age', async (t) => {
  const client = createQueryClient()
  const read = (meta: typeof COUNTED | typeof LIVE) =>
    client.fetchQuery({ queryKey: [meta.live], queryFn: () => 'rows', meta })
  await read(LIVE)
  await read(COUNTED)
  const outdated = () =>
    [COUNTED, LIVE].map(({ live }) => client.getQueryState([live])?.isInvalidated)
  replaceDocument()
  t.mock.method(Date, 'now', () => NOW)
  // Each timer that the test ends has reached its time.
  let elapsed = 0
  t.mock.method(performance, 'now', () => {
    elapsed += POLLING_INTERVAL_SECONDS * 1000
    return elapsed
  })
  const statuses = [429, 304, 200]
  let clockDifference = HOUR_MS
  t.mock.method(globalThis, 'fetch', async () => {
    const status = statuses.shift() ?? 500
    const headers = { Date: new Date(NOW + clockDifference).toUTCString() }
    return new Response(status === 200 ? JSON.stringify(emptySnapshot) : null, { status, headers })
  })
  let onTimer = (_poll: () => void) => {}
  let lastTimer = () => {}
  t.mock.method(globalThis, 'setTimeout', (poll: () => void) => {
    lastTimer = poll
    onTimer(poll)
  })
  const nextTimer = () => new Promise<() => void>((resolve) => (onTimer = resolve))
  const started = nextTimer()
  startLive()
  const poll = await started
  const failed = nextTimer()
  poll()
  const pollAgain = await failed
  assert.deepEqual([connection.get(), session.get().hasEnded], ['rate_limited', false])
  const changed = new Promise<string>((resolve) => onChange(resolve))
  const refresh = nextTimer()
  pollAgain()
  assert.equal(await changed, 'snapshot')
  // The snapshot shows the length of a counted list, so the list is of the same moment; other changes do not affect it.
  assert.deepEqual(outdated(), [true, false])
  await read(COUNTED)
  const refreshAll = await refresh
  refreshAll()
  assert.deepEqual(outdated(), [false, true])
  assert.equal(connection.get(), 'polling')
  // Polling does not show the present but the state of the last response, by the clock of the hub.
  assert.deepEqual([snapshotAge(NOW + 5000), stateTime(NOW + 5000)], [5000, NOW + HOUR_MS])

  // A page that shows a new snapshot computes with the clock of its response.
  clockDifference = 2 * HOUR_MS
  const timeShown = new Promise<number>((resolve) => {
    snapshot.subscribe(() => resolve(stateTime(NOW)))
  })
  lastTimer()
  assert.equal(await timeShown, NOW + 2 * HOUR_MS)
})

test('an offline page that asks again reads its data as soon as the hub responds, before the next poll', async (t) => {
  const fetched: unknown[] = []
  const responses = [Promise.reject(new TypeError('offline')), Promise.resolve(new Response())]
  t.mock.method(globalThis, 'fetch', async (path: unknown) => {
    fetched.push(path)
    return responses.shift()
  })
  const changes: string[] = []
  t.after(onChange((source) => changes.push(source)))
  connection.set('offline')
  await retryNow()
  assert.deepEqual([connection.get(), changes], ['offline', []])
  await retryNow()
  assert.deepEqual([connection.get(), changes], ['connecting', ['event']])
  assert.deepEqual(fetched, ['/healthz', '/healthz'])
})

test('the lists whose length the snapshot has are counted', () => {
  for (const { meta } of [alertPageQuery({}), missingReviewPageQuery({})]) {
    assert.equal(meta?.['live'], COUNTED.live)
  }
})

test('a pull that an action has returned is shown at once', () => {
  snapshot.set(emptySnapshot)
  showPull(testPull())
  const { running, pull } = snapshot.get()?.pull ?? {}
  assert.deepEqual([running, pull?.id], [true, testPull().id])
})

test('an item of the inbox is hidden when it is put aside, and undoing that shows it where it was', () => {
  const items = ['a', 'b', 'c'].map(
    (key): InboxItem => ({
      ...{ key, kind: 'drift', group: 'decision', title: key, reason: '', platform: null },
      ...{ since: null, last_at: null, alert_id: null, missing_review_id: null },
      ...{ record_type: null, rejected: null, put_aside: null },
    }),
  )
  const [, item] = items
  assert.ok(item)
  snapshot.set({ ...emptySnapshot, inbox: { ...emptySnapshot.inbox, items, open: 5 } })
  const shown = () => {
    const { open, items: left = [] } = snapshot.get()?.inbox ?? {}
    return [open, ...left.map(({ key }) => key)]
  }
  const show = hideInboxItem(item)
  assert.deepEqual(shown(), [4, 'a', 'c'])
  show()
  show()
  assert.deepEqual(shown(), [5, 'a', 'b', 'c'])
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
