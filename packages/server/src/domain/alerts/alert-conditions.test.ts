import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNKNOWN_PLATFORM } from '../activity/push-errors.ts'
import type { OpenAlert, ServerDurability } from './alert.ts'
import {
  type AlertFacts,
  findAlerts,
  type ModuleFailure,
  type WatchedPlatform,
} from './alert-conditions.ts'
import { hourOf, PushBaselines } from './push-baseline.ts'

const NOW = new Date('2026-03-24T12:30:00.000Z')
const HOUR = hourOf(NOW)
const GIB = 1024 ** 3

const HEALTHY: WatchedPlatform = {
  platform_id: 1,
  platform_name: 'school',
  display_title: 'The School',
  created_at: NOW.toISOString(),
  status: 'active',
  last_error: null,
  failures_in_row: 0,
  failing_since: null,
  recent_pushes: { pushes: 0, rejected: 0, first_rejected_at: null },
  open_pushes: { count: 0, is_more: false, first_at: null },
}

function facts(over: Partial<AlertFacts> = {}): AlertFacts {
  const baselines = new PushBaselines()
  return {
    now: NOW,
    platforms: [HEALTHY],
    failingModules: [],
    baselines,
    pushErrors: new PushBaselines(),
    watchedFrom: HOUR - 1000,
    reviews: [],
    searchBehindSince: null,
    holds: { records: 0, oldest_since: null },
    disk: null,
    durability: null,
    jobFailures: new Map(),
    ...over,
  }
}

/** The kinds and messages of the alerts that are found, given those that are already open. */
function find(given: AlertFacts, open: OpenAlert[] = []): string[] {
  return findAlerts(given, open).map(({ kind, message }) => `${kind}: ${message}`)
}

function toOpenAlerts(given: AlertFacts, raisedAt = NOW): OpenAlert[] {
  return findAlerts(given, []).map((alert, index) => ({
    ...alert,
    alert_id: index + 1,
    raised_at: raisedAt.toISOString(),
  }))
}

/** One push in every hour of three weeks except the last `silentHours`, and rejections in the last hour. */
function recordPushes(options: { silentHours?: number; recent?: number; usual?: number } = {}) {
  const { silentHours = 0, recent = 0, usual = 0 } = options
  const baselines = new PushBaselines()
  for (let hour = HOUR - 500; hour <= HOUR; hour += 1) {
    const pushes = hour <= HOUR - silentHours ? 1 : 0
    const rejected = hour === HOUR ? recent : usual
    baselines.record(hour, [{ platform_id: 1, pushes, rejected }])
  }
  return baselines
}

test('a platform is failing after two failed pulls, until one succeeds', () => {
  const failing = (failures_in_row: number, minutes: number): AlertFacts => {
    const failing_since = new Date(NOW.getTime() - minutes * 60_000).toISOString()
    const last_error = 'The platform cannot be reached.'
    return facts({ platforms: [{ ...HEALTHY, failures_in_row, failing_since, last_error }] })
  }
  assert.deepEqual(find(failing(1, 600)), [])
  assert.deepEqual(find(failing(2, 5)), [
    'platform_failing: Pulls of The School have failed since 2026-03-24T12:25:00.000Z: The platform cannot be reached.',
  ])
  // Recovering: a running pull has read a module again but has not ended.
  const recovering = facts({ platforms: [{ ...HEALTHY, failures_in_row: 5, failing_since: null }] })
  assert.deepEqual(find(recovering), [])
  assert.deepEqual(find(recovering, toOpenAlerts(failing(5, 5))), find(failing(5, 5)))
  const [platform] = failing(9, 90).platforms
  assert.ok(platform)
  assert.deepEqual(find(facts({ platforms: [{ ...platform, status: 'inactive' }] })), [])
})

test('a platform is failing while half of its last pushes are rejected, and the message says so', () => {
  const rejecting = (rejected: number, over: Partial<WatchedPlatform> = {}): AlertFacts => {
    const recent_pushes = { pushes: 20, rejected, first_rejected_at: NOW.toISOString() }
    const open_pushes = { count: rejected, is_more: false, first_at: NOW.toISOString() }
    return facts({ platforms: [{ ...HEALTHY, recent_pushes, open_pushes, ...over }] })
  }
  assert.deepEqual(find(rejecting(9), toOpenAlerts(rejecting(10))), [])
  const pushes = 'platform_failing: 10 of the last 20 pushes of The School were rejected.'
  assert.deepEqual(find(rejecting(10)), [pushes])
  const last_error = 'The platform cannot be reached.'
  const pulls = { failures_in_row: 2, failing_since: NOW.toISOString(), last_error }
  assert.deepEqual(find(rejecting(10, pulls)), [
    `${pushes} Pulls of The School have failed since 2026-03-24T12:30:00.000Z: ${last_error}`,
  ])
  assert.deepEqual(find(rejecting(10, { status: 'inactive' })), [])
})

test('a module is failing by the same rule while other modules can be read', () => {
  const failing = (over: Partial<ModuleFailure> = {}, health: Partial<WatchedPlatform> = {}) =>
    facts({
      platforms: [{ ...HEALTHY, ...health }],
      failingModules: [
        {
          module_id: 7,
          platform_id: 1,
          module_name: 'Pupils',
          last_error: 'The platform responded with HTTP 500.',
          failures_in_row: 5,
          failing_since: '2026-03-24T12:25:00.000Z',
          ...over,
        },
      ],
    })
  assert.deepEqual(find(failing({ failures_in_row: 1 })), [])
  const raised = [
    'module_failing: Pulls of Pupils of The School have failed since 2026-03-24T12:25:00.000Z, although those of other modules succeed: The platform responded with HTTP 500.',
  ]
  assert.deepEqual(find(failing()), raised)
  assert.equal(find(failing({ failures_in_row: 2 })).length, 1)
  // If the whole platform is failing, or may be about to, the module raises no alert.
  const whole = {
    failures_in_row: 5,
    failing_since: NOW.toISOString(),
    last_error: 'The platform cannot be reached.',
  }
  assert.deepEqual(
    findAlerts(failing({}, whole), []).map(({ kind }) => kind),
    ['platform_failing'],
  )
  const beginning = failing({}, { failures_in_row: 1, failing_since: NOW.toISOString() })
  assert.deepEqual(find(beginning), [])
  assert.deepEqual(find(beginning, toOpenAlerts(failing())), raised)
  assert.deepEqual(find(failing({}, { status: 'inactive' })), [])
  assert.deepEqual(find(failing({ platform_id: 2 })), [])
})

test('a platform is silent after six hours in which it usually pushes, until it pushes', () => {
  // The current hour is not over, so it does not count.
  assert.deepEqual(find(facts({ baselines: recordPushes({ silentHours: 6 }) })), [])
  const silent = facts({ baselines: recordPushes({ silentHours: 7 }) })
  assert.deepEqual(find(silent), [
    'platform_silent: No push of The School has been accepted since about 2026-03-24T06:00:00.000Z, although it usually pushes at these hours.',
  ])
  const open = toOpenAlerts(silent)
  assert.equal(find(facts({ baselines: recordPushes({ silentHours: 30 }) }), open).length, 1)
  // A hub that has just started has observed nothing yet, so open alerts stay open.
  const restarted = { baselines: recordPushes({ silentHours: 30 }), watchedFrom: HOUR + 1 }
  assert.equal(find(facts(restarted), open).length, 1)
  assert.deepEqual(find(facts(restarted)), [])
  assert.equal(find(facts(), open).length, 1)
  assert.deepEqual(find(facts({ baselines: recordPushes() }), open), [])
  assert.deepEqual(
    find(facts({ ...silent, platforms: [{ ...HEALTHY, status: 'inactive' }] }), open),
    [],
  )
  assert.deepEqual(find(facts({ ...silent, platforms: [] }), open), [])
  // It was raised while the clock was ahead.
  const ahead = toOpenAlerts(silent, new Date(NOW.getTime() + 86_400_000))
  assert.deepEqual(find(facts({ baselines: recordPushes() }), ahead), [])
})

test('rejections are rising at 20 in two hours and five times the usual number, until they halve', () => {
  const rising = (recent: number, usual = 0) =>
    facts({ baselines: recordPushes({ recent, usual }) })
  assert.deepEqual(find(rising(19)), [])
  assert.deepEqual(find(rising(20)), [
    'rejected_rising: 20 pushes and pulled records of The School were rejected within two hours; usually it is 0.',
  ])
  // 10 per hour are usually 20 in two hours, and the previous hour had 10 as well.
  assert.deepEqual(find(rising(90, 10)), [])
  assert.equal(find(rising(91, 10)).length, 1)
  const open = toOpenAlerts(rising(20))
  assert.deepEqual(find(rising(10), open), find(rising(20)))
  assert.deepEqual(find(rising(9), open), [])
})

test('push errors are rising by the same rule, by platform and for unknown senders', () => {
  const rising = (recent: number, usual = 0, senders = [1, UNKNOWN_PLATFORM]) => {
    const pushErrors = new PushBaselines()
    for (let hour = HOUR - 500; hour <= HOUR; hour += 1) {
      const rejected = hour === HOUR ? recent : usual
      const counts = senders.map((platform_id) => ({ platform_id, pushes: 0, rejected }))
      pushErrors.record(hour, counts)
    }
    return facts({ pushErrors })
  }
  const message = (count: number, senders: string, usual = 0) =>
    `push_errors_rising: ${count} requests ${senders} were rejected within two hours, because of an invalid key or an unreadable body; usually it is ${usual}.`
  const school = 'that seem to come from The School'
  assert.deepEqual(find(rising(19)), [])
  assert.deepEqual(find(rising(20)), [message(20, school), message(20, 'of unknown senders')])
  assert.deepEqual(find(rising(90, 10)), [])
  assert.deepEqual(find(rising(91, 10, [1])), [message(101, school, 20)])
  const inactive = [{ ...HEALTHY, status: 'inactive' as const }]
  assert.deepEqual(find({ ...rising(20), platforms: inactive }), [
    message(20, 'of unknown senders'),
  ])
  const open = toOpenAlerts(rising(20))
  assert.deepEqual(find(rising(10), open), find(rising(20)))
  assert.deepEqual(find(rising(9), open), [])
})

test('each open review of missing records is an alert', () => {
  const review = {
    id: 5,
    platform_name: 'school',
    module_name: 'Pupils',
    record_type: 'pupils',
    state: 'pending',
    missing: 20,
    records: 50,
    pull_id: 9,
    at: NOW.toISOString(),
    decided_at: null,
    decided_by: null,
    closed_at: null,
  } as const
  const [found, ...others] = findAlerts(facts({ reviews: [review] }), [])
  assert.equal(others.length, 0)
  assert.match(
    found?.message ?? '',
    /^20 of 50 records of Pupils of The School were missing from a pull/,
  )
  assert.deepEqual(found?.platform, { platform_id: 1, platform_name: 'school' })
  const unknown = findAlerts(facts({ reviews: [review], platforms: [] }), [])
  assert.equal(unknown[0]?.platform, null)
})

test('the search is behind when a change has waited for an hour of observation', () => {
  const behind = (minutes: number, watchedHours = 1000) =>
    facts({
      searchBehindSince: new Date(NOW.getTime() - minutes * 60_000).toISOString(),
      watchedFrom: HOUR - watchedHours,
    })
  assert.deepEqual(find(behind(59)), [])
  assert.deepEqual(find(behind(60)), [
    'search_behind: The search index is behind: changes since 2026-03-24T11:30:00.000Z are not indexed.',
  ])
  // Observation began at 12:00, half an hour ago.
  assert.deepEqual(find(behind(6000, 0)), [])
  assert.equal(find(behind(6000, 1)).length, 1)
  const open = toOpenAlerts(behind(60))
  assert.deepEqual(find(behind(30, -1), open), find(behind(60)))
  assert.deepEqual(find(behind(29), open), [])
  // The change was stored while the clock was ahead, and the hub has observed it for an hour.
  assert.equal(find(behind(-600, 1)).length, 1)
  assert.deepEqual(find(facts(), open), [])
})

test('holds raise an alert when the oldest is seven days old', () => {
  const held = (hours: number) =>
    facts({
      holds: {
        records: 2,
        oldest_since: new Date(NOW.getTime() - hours * 3_600_000).toISOString(),
      },
    })
  assert.deepEqual(find(held(167)), [])
  assert.match(
    find(held(168))[0] ?? '',
    /^holds_open: 2 records have been held for seven days or longer, the oldest since /,
  )
})

test('a disk is low below 10 GiB or a tenth of its size, until it is a fifth above that', () => {
  const disk = (available: number, total: number) =>
    facts({ disk: { available: available * GIB, total: total * GIB } })
  assert.deepEqual(find(disk(10, 4000)), [])
  assert.deepEqual(find(disk(9.9, 4000)), [
    'disk_low: The disk with the data of the hub has 9.9 GiB of 4000.0 GiB left.',
  ])
  assert.deepEqual(find(disk(2, 20)), [])
  assert.equal(find(disk(1.9, 20)).length, 1)
  const open = toOpenAlerts(disk(9.9, 4000))
  assert.deepEqual(find(disk(11.9, 4000), open), find(disk(9.9, 4000)))
  assert.deepEqual(find(disk(12, 4000), open), [])
  assert.deepEqual(find(facts(), open), [])
})

const DURABLE: ServerDurability = {
  ...{ fsync: true, full_page_writes: true, synchronous_standby_names: '' },
  ...{ standbys: 0, synchronous_standbys: 0, hidden_connections: 0 },
}

test('standbys without synchronous_standby_names, and a server that does not sync, can lose pushes', () => {
  const findOf = (over: Partial<ServerDurability>) =>
    find(facts({ durability: { ...DURABLE, ...over } }))
  assert.deepEqual(findOf({}), [])
  assert.deepEqual(findOf({ standbys: 2 }), [
    'standby_asynchronous: PostgreSQL: synchronous_standby_names is empty, but there are standbys. After a failover, pushes that were acknowledged shortly before it can be lost.',
  ])
  assert.match(findOf({ hidden_connections: 1 })[0] ?? '', /GRANT pg_monitor/)
  assert.deepEqual(findOf({ standbys: 2, synchronous_standby_names: 'FIRST 1 (b)' }), [])
  assert.deepEqual(findOf({ fsync: false, full_page_writes: false }), [
    'storage_not_synced: PostgreSQL: fsync is off, so a power failure can destroy the database.',
    'storage_not_synced: PostgreSQL: full_page_writes is off, so a power failure can destroy the database.',
  ])
})

test('a failure of a background job is an alert for an hour, also if another process has it', () => {
  const failed = (minutes: number) => {
    const at = new Date(NOW.getTime() - minutes * 60_000)
    return facts({ jobFailures: new Map([['retention', { job: 'retention', at, reason: 'x' }]]) })
  }
  assert.deepEqual(find(failed(59)), ['job_failed: The background job "retention" failed: x'])
  assert.deepEqual(find(failed(60)), [])
  // The clock was ahead.
  assert.deepEqual(find(failed(-600)), [])
  const raisedAt = (minutes: number) =>
    toOpenAlerts(failed(0), new Date(NOW.getTime() - minutes * 60_000))
  assert.equal(find(facts(), raisedAt(59)).length, 1)
  assert.deepEqual(find(facts(), raisedAt(60)), [])
  assert.deepEqual(find(facts(), raisedAt(-600)), [])
})
