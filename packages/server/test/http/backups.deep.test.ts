/** Backups by schedule, and drills of damaged backups. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { createScheduleTime, startTestHub } from '../helpers/hub/hub.ts'
import { expectError } from '../helpers/hub/response.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { until } from '../helpers/time/until.ts'
import { createFolder, post, readBackups, untilEnded } from './backups.ts'

describeOnEngines('scheduled backups', (engine) => {
  test('scheduled backups are made and the oldest are deleted; a failure raises an alert', async (t) => {
    const folder = createFolder(t)
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, 'a file instead of a folder')
    const env = {
      HUB_BACKUP_DIR: blocked,
      HUB_BACKUP_SCHEDULE: '* * * * *',
      HUB_BACKUP_KEEP: '2',
    }
    const { scheduleTime, pass } = createScheduleTime()
    await using hub = await startTestHub(engine, { env, scheduleTime })
    const openAlerts = async () => {
      pass()
      return (await hub.alerts('&state=open')).filter(({ kind }) => kind === 'backup_failed')
    }
    const alert = await until(async () => (await openAlerts())[0] ?? null, 'the alert is raised')
    assert.match(alert.message, /^The scheduled backup failed: /)
    const HUB_BACKUP_DIR = join(folder, 'backups')
    await hub.restart({ env: { ...env, HUB_BACKUP_DIR, HUB_BACKUP_DRILL: 'on' }, scheduleTime })
    await until(
      async () => ((await openAlerts()).length > 0 ? null : true),
      'the alert is resolved',
    )
    const { backups, schedule, next_at } = await readBackups(hub)
    assert.match(backups[0]?.file ?? '', /^recordhub-scheduled-/)
    assert.ok(backups.some(({ drill }) => drill?.passed))
    assert.equal(schedule, '* * * * *')
    assert.ok(next_at)
  })
})

describe('drills', () => {
  test('a drill of a damaged backup fails and leaves no copy', async (t) => {
    const folder = createFolder(t)
    await using hub = await startTestHub(sqliteEngine, { env: { HUB_BACKUP_DIR: folder } })
    await post(hub, '/api/v1/backups')
    const { backups } = await untilEnded(hub)
    const file = backups[0]?.file ?? ''
    const headers = { authorization: hub.authorization('admin') }
    await post(hub, `/api/v1/backups/${file}/drill`)
    assert.equal((await untilEnded(hub)).backups[0]?.drill?.passed, true)
    writeFileSync(join(folder, file), 'damaged', { flag: 'a' })
    await post(hub, `/api/v1/backups/${file}/drill`)
    const url = '/api/v1/backups'
    const busy = await hub.send({ method: 'POST', url, headers })
    if (busy.status !== 202) expectError(busy, 409, 'backup_in_progress')
    const damaged = await until(async () => {
      const found = await readBackups(hub)
      return found.run?.state === 'running' ? null : found.backups
    }, 'the drill has ended')
    assert.equal(damaged.find((one) => one.file === file)?.drill, null)
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.recordhub-backup')),
      [],
    )
  })
})
