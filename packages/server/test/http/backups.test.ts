/** Backups on request and by schedule, downloads and restore drills. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { deleteOldBackups } from '../../src/features/backups/backup-folder.ts'
import { encodeHeader, readBackupInfo } from '../../src/storage/shared/backup/backup-header.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectError } from '../helpers/hub/response.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { createFolder, post, readBackups, untilEnded } from './backups.ts'

describeOnEngines('backups', (engine) => {
  test('a backup can be started, listed, downloaded and compared with the hub', async (t) => {
    const HUB_BACKUP_DIR = createFolder(t)
    const RECORDHUB = { HUB_BACKUP_DIR }
    await using hub = await startTestHub(engine, { env: RECORDHUB })
    const { hub_api_key } = await hub.registerPushing()
    for (const id of ['N-1', 'N-2', 'N-3', 'N-4']) await hub.push(hub_api_key, newRecord(id))
    await post(hub, '/api/v1/backups')
    const { backups, secret_fingerprint } = await untilEnded(hub)
    assert.equal(backups.length, 1)
    const [backup] = backups
    assert.ok(backup?.info)
    assert.equal(backup.info.tables['records'], 4)
    assert.equal(backup.info.secret_fingerprint, secret_fingerprint)
    assert.deepEqual(readdirSync(HUB_BACKUP_DIR), [backup.file])

    const url = `/api/v1/backups/${backup.file}`
    const downloaded = await hub.get(url)
    assert.equal(downloaded.status, 200)
    assert.match(downloaded.header('content-disposition'), new RegExp(backup.file))
    assert.equal(Number(downloaded.header('content-length')), backup.bytes)
    const audit = (await hub.get('/api/v1/audit?action=backup.download')).text
    assert.match(audit, new RegExp(`"target":"${backup.file}"`))

    // Changed, created and deleted after the backup.
    await hub.push(hub_api_key, newRecord('N-2', { data: { status: 'closed' } }))
    await hub.push(hub_api_key, newRecord('N-5'))
    const erase = { method: 'POST', body: { mode: 'erase' } } as const
    const headers = { authorization: hub.authorization('admin') }
    const [erased] = await hub.sql(`SELECT record_id FROM records WHERE reference_number = 'N-3'`)
    const path = `/api/v1/records/${erased?.['record_id']}/erase`
    assert.equal((await hub.send({ ...erase, url: path, headers })).status, 200)
    await hub.sql(`UPDATE platforms SET platform_name = 'renamed'`)
    await post(hub, `${url}/drill`)
    const drill = (await untilEnded(hub)).backups[0]?.drill
    assert.ok(drill)
    const { records, equal, changed_since, deleted_since, different, absent, passed } = drill
    assert.deepEqual(
      { records, equal, changed_since, deleted_since, different, absent, passed },
      {
        ...{ records: 4, equal: 2, changed_since: 1, deleted_since: 1 },
        ...{ different: 0, absent: 0, passed: true },
      },
    )
    assert.deepEqual(readdirSync(HUB_BACKUP_DIR), [backup.file, `${backup.file}.drill.json`])

    // A record that differs although it has not changed.
    await hub.sql(`UPDATE records SET full_name = 'Somebody else' WHERE reference_number = 'N-1'`)
    await post(hub, `${url}/drill`)
    const [again] = (await untilEnded(hub)).backups
    assert.equal(again?.drill?.passed, false)
    assert.equal(again.drill.different, 1)

    await hub.restart({ env: RECORDHUB })
    assert.deepEqual((await readBackups(hub)).backups[0]?.drill, again.drill)
    // The report is not that of another backup with the same name.
    await post(hub, '/api/v1/backups')
    const [other] = (await untilEnded(hub)).backups
    assert.ok(other)
    renameSync(join(HUB_BACKUP_DIR, other.file), join(HUB_BACKUP_DIR, backup.file))
    assert.equal((await readBackups(hub)).backups[0]?.drill, null)
  })
})

describe('backups', () => {
  test('a download cannot leave the folder, and lists say why a file cannot be used', async (t) => {
    const folder = createFolder(t)
    const HUB_BACKUP_DIR = join(folder, 'backups')
    await using hub = await startTestHub(sqliteEngine, { env: { HUB_BACKUP_DIR } })
    assert.deepEqual((await readBackups(hub)).backups, [])
    mkdirSync(HUB_BACKUP_DIR)
    writeFileSync(join(folder, 'outside.recordhub-backup'), 'secret')
    writeFileSync(join(HUB_BACKUP_DIR, 'text.recordhub-backup'), 'text')
    writeFileSync(join(HUB_BACKUP_DIR, '.hidden.recordhub-backup.partial'), 'text')
    for (const name of ['..%2Foutside.recordhub-backup', '.hidden.recordhub-backup.partial', 'x']) {
      expectError(await hub.get(`/api/v1/backups/${name}`), 404, 'not_found')
    }
    const { backups } = await readBackups(hub)
    assert.deepEqual(
      backups.map(({ file, info }) => ({ file, info })),
      [{ file: 'text.recordhub-backup', info: null }],
    )
    assert.match(backups[0]?.problem ?? '', /not a backup of Recordhub/)
  })

  test('retention deletes the oldest scheduled backups that count, and never the newest', async (t) => {
    const folder = createFolder(t)
    const write = (name: string, hour: number, { secret = 'ours', end = 36 } = {}) => {
      const created_at = `2026-03-10T${String(hour).padStart(2, '0')}:00:00.000Z`
      const file = `recordhub-${name}.recordhub-backup`
      writeFileSync(join(folder, file), backupFile({ created_at, secret_fingerprint: secret }, end))
      return file
    }
    const [first, second] = [write('scheduled-1', 1), write('scheduled-2', 2)]
    const kept = [
      ...[write('scheduled-3', 3), write('on-request', 1)],
      ...[write('scheduled-ahead-1', 20), write('scheduled-ahead-2', 21)],
      ...[
        write('scheduled-foreign', 1, { secret: 'theirs' }),
        write('scheduled-cut', 1, { end: 9 }),
      ],
    ]
    // The clock was set back while it was written.
    const newest = write('scheduled-0', 13)
    const now = new Date('2026-03-10T12:00:00.000Z')
    const clean = (keep: number) =>
      deleteOldBackups(folder, { newest, keep, now }, { readBackupInfo })
    assert.deepEqual((await clean(0)).deleted, [])
    const { deleted, uncounted } = await clean(2)
    assert.deepEqual(deleted, [first, second])
    assert.deepEqual(readdirSync(folder).sort(), [...kept, newest].sort())
    const reasons = uncounted.map(({ reason }) => reason).join(' ')
    assert.equal(uncounted.length, 4)
    for (const reason of [/incomplete/, /another secret/, /still to come/]) {
      assert.match(reasons, reason)
    }
    assert.deepEqual((await clean(1)).deleted, ['recordhub-scheduled-3.recordhub-backup'])
    assert.ok(readdirSync(folder).includes(newest))
  })
})

/** A file that says about itself what a backup does. @param end the number of bytes after the content. */
function backupFile(info: { created_at: string; secret_fingerprint: string }, end: number): Buffer {
  const header = encodeHeader({
    info: {
      ...{ engine: 'sqlite', hub_version: '1.0.0', migrations: [], position: 1, tables: {} },
      ...{ encrypted: false, ...info },
    },
    ...{ payload_bytes: null, sample: { records: 0, sha256: '' }, encryption: null },
  })
  return Buffer.concat([header, Buffer.alloc(100, 1), Buffer.alloc(end)])
}
