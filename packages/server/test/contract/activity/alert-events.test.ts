import assert from 'node:assert/strict'
import type { FoundAlert } from '../../../src/domain/alerts/alert.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only } from '../../helpers/storage/fixtures.ts'
import { deleteOld } from '../../helpers/storage/retention.ts'

const NO_CHANGES = { raise: [], resolve: [], reword: [] }

test('an alert has one event for each of its changes, with its current state', async (kit) => {
  const { storage, clock } = kit
  await raise(storage, 'one')
  clock.advance(5)
  const { alert_id } = only(await storage.alerts.listOpenAlerts())
  await acknowledge(storage, alert_id)
  await acknowledge(storage, alert_id)
  clock.advance(5)
  await resolveAll(storage)
  const { events, through } = await list(storage, 0)
  assert.deepEqual(
    events.map(({ change, at }) => [change, at]),
    [
      ['raised', '2026-03-10T08:00:00.000Z'],
      ['acknowledged', '2026-03-10T08:00:05.000Z'],
      ['resolved', '2026-03-10T08:00:10.000Z'],
    ],
  )
  const [alert] = await storage.alerts.listAlerts({ state: null, limit: 1, after: null })
  for (const event of events) assert.deepEqual(event.alert, alert)
  assert.equal(through, await storage.alertEvents.readLastAlertEventId())
  const feed = await storage.alertEvents.readAlertFeed(2)
  assert.deepEqual(feed.events, events.toReversed().slice(0, 2))
  assert.match(feed.feed_id, /^[\da-f-]{36}$/)
})

test('pages of events continue each other, and end at the last one', async ({ storage }) => {
  assert.deepEqual(await list(storage, 0), { outcome: 'listed', events: [], through: 0 })
  for (const subject of ['a', 'b', 'c', 'd', 'e']) await raise(storage, subject)
  const all = await list(storage, 0)
  for (const limit of [1, 2, 5, 6]) {
    const read = []
    let after = 0
    let page = await list(storage, after, limit)
    while (page.events.length > 0) {
      read.push(...page.events)
      after = page.through
      page = await list(storage, after, limit)
    }
    assert.deepEqual(read, all.events)
    assert.equal(after, all.through)
  }
  const beyond = await storage.alertEvents.listAlertEvents({
    after: all.through + 1,
    limit: 5,
  })
  assert.deepEqual(beyond, { outcome: 'beyond' })
})

test('a reader that follows concurrent writers receives every event once', async ({ storage }) => {
  const count = 40
  let isWriting = true
  const write = Array.from({ length: count }, (_, index) => raise(storage, `n-${index}`))
  const written = Promise.all(write).then(async () => {
    await resolveAll(storage)
    isWriting = false
  })
  const received: string[] = []
  let after = 0
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting
    const page = await list(storage, after)
    received.push(...page.events.map(({ change, alert }) => `${change} ${alert.message}`))
    after = page.through
  }
  await written
  assert.equal(received.length, 2 * count)
  assert.equal(new Set(received).size, 2 * count)
})

test('retention deletes the events with their alert, and a cursor stays valid', async (kit) => {
  const { storage, clock } = kit
  await raise(storage, 'old')
  await resolveAll(storage)
  const { through } = await list(storage, 0)
  clock.advance(3600)
  await raise(storage, 'new')
  await deleteOld(storage, 'alerts', clock.text)
  assert.equal(await kit.countRows('alert_events'), 1)
  const { events } = await list(storage, through)
  assert.equal(only(events).alert.message, 'About new')
})

async function raise(storage: Storage, subject: string): Promise<void> {
  const alert: FoundAlert = {
    kind: 'module_failing',
    subject,
    platform: null,
    message: `About ${subject}`,
  }
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, raise: [alert] })
}

async function resolveAll(storage: Storage): Promise<void> {
  const resolve = await storage.alerts.listOpenAlerts()
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, resolve })
}

async function acknowledge({ alerts }: Storage, id: number): Promise<void> {
  await alerts.acknowledgeAlert(id, 'ann', () => changeLog('alert.acknowledged'))
}

async function list({ alertEvents }: Storage, after: number, limit = 500) {
  const page = await alertEvents.listAlertEvents({ after, limit })
  assert.ok(page.outcome === 'listed')
  return page
}
