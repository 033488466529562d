import assert from 'node:assert/strict'
import type { Alert, AlertKind, AlertState } from '@recordhub/protocol'
import type { FoundAlert } from '../../../src/domain/alerts/alert.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listActivity,
  MAX_RECORD_KEYS,
  only,
  pushWrite,
  readPages,
} from '../../helpers/storage/fixtures.ts'
import { taskResult } from '../../helpers/storage/pulls.ts'
import { rejection } from '../../helpers/storage/replays.ts'
import { createRow } from '../../helpers/storage/retention.ts'

const NO_CHANGES = { raise: [], resolve: [], reword: [] }

test('an alert is raised, its message is updated, and it is resolved; the activity records the first and the last', async (kit) => {
  const { storage, clock } = kit
  const platform = { platform_id: 7, platform_name: 'school' }
  const alert = createAlert('one', {
    kind: 'platform_failing',
    platform,
    message: 'It fails',
  })
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, raise: [alert] })
  const raised_at = clock.text
  const open = only(await storage.alerts.listOpenAlerts())
  const { alert_id } = open
  assert.deepEqual(open, { ...alert, alert_id, raised_at })
  clock.advance(60)
  const reword = [{ alert_id, message: 'It fails in another way' }]
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, reword })
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, resolve: [open] })
  const { advice, ...read } = only(await list(storage))
  assert.ok(advice.length > 20)
  assert.deepEqual(read, {
    id: alert_id,
    kind: 'platform_failing',
    platform_name: 'school',
    message: 'It fails in another way',
    raised_at,
    resolved_at: clock.text,
    acknowledged_at: null,
    acknowledged_by: null,
    missing_review_id: null,
    mailed_at: null,
  })
  assert.deepEqual(await listAlertEntries(storage), [
    ['alert.raised', 'warning', 'school'],
    ['alert.resolved', 'info', 'school'],
  ])
})

test('concurrent callers raise and resolve only one alert per kind and subject', async (kit) => {
  const { storage } = kit
  const changes = {
    ...NO_CHANGES,
    raise: [createAlert('one'), createAlert('two'), createAlert('one')],
  }
  await Promise.all(Array.from({ length: 8 }, () => storage.alerts.applyAlertChanges(changes)))
  const open = await storage.alerts.listOpenAlerts()
  assert.deepEqual(open.map(({ subject }) => subject).sort(), ['one', 'two'])
  const resolution = { ...NO_CHANGES, resolve: open }
  await Promise.all(Array.from({ length: 8 }, () => storage.alerts.applyAlertChanges(resolution)))
  assert.equal((await listAlertEntries(storage)).length, 4)
  // A problem that occurs again raises a new alert.
  await storage.alerts.applyAlertChanges(changes)
  assert.equal(await kit.countRows('alerts'), 4)
  assert.equal((await storage.alerts.readOpenAlerts(1)).open, 2)
})

test('hundreds of alerts are raised and resolved in one call', async ({ storage }) => {
  const raise = Array.from({ length: 230 }, (_, index) => createAlert(`n-${index}`))
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, raise })
  const { open, latest } = await storage.alerts.readOpenAlerts(3)
  assert.equal(open, 230)
  assert.deepEqual(
    latest.map(({ message }) => message),
    ['About n-229', 'About n-228', 'About n-227'],
  )
  const resolve = await storage.alerts.listOpenAlerts()
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, resolve })
  assert.deepEqual(await storage.alerts.readOpenAlerts(3), { open: 0, latest: [] })
})

test('open alerts are listed before resolved ones, newest first, each on one page', async (kit) => {
  const { storage } = kit
  const raise = Array.from({ length: 9 }, (_, index) => createAlert(`n-${index}`))
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, raise })
  const resolve = (await storage.alerts.listOpenAlerts()).filter((_, index) => index % 2 > 0)
  await storage.alerts.applyAlertChanges({ ...NO_CHANGES, resolve })
  const subjects = (alerts: Alert[]) => alerts.map(({ message }) => message.slice(-1)).join('')
  assert.equal(subjects(await list(storage)), '864207531')
  assert.equal(subjects(await list(storage, 'open')), '86420')
  assert.equal(subjects(await list(storage, 'resolved')), '7531')
  for (const limit of [1, 2, 4, 5, 9]) {
    for (const state of [null, 'open', 'resolved'] as const) {
      const pages = await readPages<Alert>(limit, (last) =>
        storage.alerts.listAlerts({ state, limit, after: last ? positionOf(last) : null }),
      )
      assert.equal(subjects(pages), subjects(await list(storage, state)))
    }
  }
})

test('only the first acknowledgement of an open alert is saved and recorded', async (kit) => {
  const { storage, clock } = kit
  const { alerts } = storage
  const acknowledge = (id: number, by: string) =>
    alerts.acknowledgeAlert(id, by, () => changeLog('alert.acknowledged'))
  await alerts.applyAlertChanges({
    ...NO_CHANGES,
    raise: [createAlert('one'), createAlert('two')],
  })
  const [one, two] = await alerts.listOpenAlerts()
  assert.ok(one && two)
  const at = clock.text
  const first = await acknowledge(one.alert_id, 'ann')
  clock.advance(5)
  const second = await acknowledge(one.alert_id, 'bob')
  assert.deepEqual([first?.acknowledged_at, first?.acknowledged_by], [at, 'ann'])
  assert.deepEqual(second, first)
  await alerts.applyAlertChanges({ ...NO_CHANGES, resolve: [two] })
  assert.equal((await acknowledge(two.alert_id, 'bob'))?.acknowledged_by, null)
  assert.equal(await acknowledge(-1, 'bob'), null)
  const acknowledgements = (await listAlertEntries(storage)).filter(
    ([kind]) => kind === 'alert.acknowledged',
  )
  assert.equal(acknowledgements.length, 1)
  assert.equal(await kit.countRows('audit'), 1)
})

test('an alert is due for a mail when it is raised and, if that mail was sent, for another when it is resolved', async (kit) => {
  const { storage } = kit
  const { alerts } = storage
  const due = async () => {
    const { raised, resolved } = await alerts.listUnmailed(100)
    return [raised, resolved].map((some) => some.map(({ message }) => message))
  }
  const failing = createAlert('mail', { kind: 'mail_failing' })
  const raise = [createAlert('mailed'), createAlert('short'), failing]
  await alerts.applyAlertChanges({ ...NO_CHANGES, raise })
  const [mailed, short] = await alerts.listOpenAlerts()
  assert.ok(mailed && short)
  assert.deepEqual(await due(), [['About mailed', 'About short'], []])
  await alerts.applyAlertChanges({ ...NO_CHANGES, resolve: [short] })
  assert.deepEqual(await due(), [['About mailed'], []])
  await alerts.recordMailed(await alerts.listUnmailed(100))
  assert.deepEqual(await due(), [[], []])
  assert.ok((await list(storage)).find(({ id }) => id === mailed.alert_id)?.mailed_at)
  await alerts.applyAlertChanges({ ...NO_CHANGES, resolve: [mailed] })
  assert.deepEqual(await due(), [[], ['About mailed']])
  await alerts.recordMailed(await alerts.listUnmailed(100))
  assert.deepEqual(await due(), [[], []])
})

test('a watched platform has its consecutive failed pulls, the first one, the last error, and its rejected pushes', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const pull = async (state: 'failed' | 'succeeded') => {
    const { pull_id, tasks } = await kit.startPull()
    const error = state === 'failed' ? 'It hangs' : null
    for (const { task_number } of tasks) {
      await storage.pulls.startTask(pull_id, task_number)
      const result = taskResult({ state, error, problem: error })
      await storage.pulls.finishTask(pull_id, task_number, result, null)
    }
    await kit.finishPull(pull_id, state)
    clock.advance(60)
  }
  const health = async () => {
    const one = only(await storage.alerts.listWatchedPlatforms())
    return [one.status, one.failures_in_row, one.failing_since, one.last_error]
  }
  assert.deepEqual(await health(), ['active', 0, null, null])
  const since = clock.text
  await pull('failed')
  await pull('failed')
  assert.deepEqual(await health(), ['active', 2, since, 'It hangs'])
  await pull('succeeded')
  assert.deepEqual(await health(), ['active', 0, null, null])
  await kit.write(pushWrite(school))
  await kit.saveRejected([rejection(school), rejection(school), rejection(school)])
  const { recent_pushes, open_pushes } = only(await storage.alerts.listWatchedPlatforms())
  const { pushes, rejected } = recent_pushes
  assert.deepEqual([pushes, rejected, open_pushes.count], [4, 3, 1])
  await kit.setStatus(school, 'inactive')
  assert.deepEqual(await health(), ['inactive', 0, null, null])
})

test('hourly statistics count the accepted and the rejected pushes of each platform', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(school), pushWrite(school, { source: 'PATCH' }))
  await createRow(kit, clinic, 'rejected_pushes')
  // In other time zones it is the previous day or the next day.
  for (const day of ['2026-03-09', '2026-03-11']) {
    const one = pushWrite(school, { data: `{"day":"${day}"}` })
    await storage.records.applyWrites({
      ...{ at: clock.text, day, maxRecordKeys: MAX_RECORD_KEYS },
      writes: [one],
    })
  }
  clock.advance(3600)
  await school.post({ data: '{"b":1}' })
  const read = async (from: string, to: string) =>
    (await storage.alerts.readHours(from, to))
      .map(({ hour, platform_id, pushes, rejected }) =>
        [hour.slice(11), platform_id, pushes, rejected].join(' '),
      )
      .sort()
  const [one, other] = [school.platform_id, clinic.platform_id]
  const first = [`08 ${one} 4 0`, `08 ${other} 0 1`]
  const next = `09 ${one} 1 0`
  assert.deepEqual(await read('2026-03-10T08', '2026-03-10T08'), first)
  assert.deepEqual(await read('2026-03-10T09', '2026-03-10T09'), [next])
  assert.deepEqual(await read('2026-03-10T07', '2026-03-10T10'), [...first, next])
  assert.deepEqual(await read('2026-03-10T10', '2026-03-11T10'), [])
})

function createAlert(subject: string, over: Partial<FoundAlert> = {}): FoundAlert {
  const kind: AlertKind = 'disk_low'
  return { kind, subject, platform: null, message: `About ${subject}`, ...over }
}

function list(storage: Storage, state: AlertState | null = null): Promise<Alert[]> {
  return storage.alerts.listAlerts({ state, limit: 1000, after: null })
}

function positionOf({ id, resolved_at }: Alert): { state: AlertState; id: number } {
  return { id, state: resolved_at === null ? 'open' : 'resolved' }
}

async function listAlertEntries(storage: Storage) {
  const query = { platform: null, level: null, limit: 1000, before: null }
  const all = await listActivity(storage.activity, query)
  return all
    .filter(({ kind }) => kind.startsWith('alert.'))
    .map(({ kind, level, platform_name }) => [kind, level, platform_name])
    .reverse()
}
