import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert } from '@recordhub/protocol'
import { writeAlertFeed } from './alert-feed.ts'

const HUB = { url: 'https://hub.example.org', version: '1.2.3' }
const FEED_ID = '0b6f0a3e-6c1e-4a53-9d0c-2f5f4f0b7a11'
const CREATED_AT = '2026-01-01T00:00:00.000Z'

const ALERT: Alert = {
  id: 7,
  kind: 'platform_failing',
  platform_name: 'school',
  missing_review_id: null,
  message: 'Pulls of School have failed since 2026-11-21T07:30:00.000Z: <b>&"\u0007\ud800',
  advice: 'Test it.',
  raised_at: '2026-11-21T07:30:00.000Z',
  resolved_at: '2026-11-21T09:00:00.000Z',
  acknowledged_at: '2026-11-21T08:00:00.000Z',
  acknowledged_by: 'ann@example.org',
  mailed_at: null,
}
const EVENTS = [
  { alert_event_id: 3, change: 'resolved', at: '2026-11-21T09:00:00.000Z', alert: ALERT },
  { alert_event_id: 2, change: 'acknowledged', at: '2026-11-21T08:00:00.000Z', alert: ALERT },
  { alert_event_id: 1, change: 'raised', at: '2026-11-21T07:30:00.000Z', alert: ALERT },
] as const

function write(events: Parameters<typeof writeAlertFeed>[0]['events'], hub = HUB): string {
  return writeAlertFeed({ feed_id: FEED_ID, created_at: CREATED_AT, events }, hub)
}

function idsIn(feed: string): string[] {
  return [...feed.matchAll(/<id>(.*)<\/id>/g)].map(([, id = '']) => id)
}

test('each change of an alert is an entry with its own title and time', () => {
  const feed = write(EVENTS)
  assert.deepEqual(
    [...feed.matchAll(/<title>(\w+): Pulls of School/g)].map(([, change]) => change),
    ['Resolved', 'Acknowledged', 'Alert'],
  )
  assert.deepEqual(
    [...feed.matchAll(/<updated>(.*)<\/updated>/g)].map(([, at]) => at),
    [EVENTS[0].at, ...EVENTS.map(({ at }) => at)],
  )
  assert.match(feed, /Open from 2026-11-21 07:30 UTC to 2026-11-21 09:00 UTC/)
  assert.match(feed, /Acknowledged by ann@example.org/)
})

test('the ids are distinct UUIDs that do not depend on the address or on other entries', () => {
  const ids = idsIn(write(EVENTS))
  assert.equal(new Set(ids).size, 4)
  for (const id of ids) {
    assert.match(id, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  }
  const moved = write(EVENTS.slice(1), { ...HUB, url: 'http://127.0.0.1:8080' })
  assert.deepEqual(idsIn(moved), [ids[0], ...ids.slice(2)])
})

test('text from platforms is escaped, and characters that XML does not allow are replaced', () => {
  const feed = write(EVENTS)
  assert.ok(!feed.includes('<b>'))
  assert.match(feed, /&lt;b&gt;&amp;&quot;\ufffd\ufffd/)
  assert.ok(feed.isWellFormed())
})

test('a review of missing records is linked', () => {
  const alert: Alert = { ...ALERT, kind: 'missing_review', missing_review_id: 12 }
  const feed = write([{ ...EVENTS[2], alert }])
  assert.ok(
    feed.includes('href="https://hub.example.org/dashboard/inbox?tab=missing&amp;review=12"'),
  )
})

test('a feed without events was updated when it was created', () => {
  const feed = write([])
  assert.ok(feed.includes(`<updated>${CREATED_AT}</updated>`))
  assert.ok(!feed.includes('<entry>'))
})
