/** Backups, copies of restore drills, and the tombstones of replaced data. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listDrilledBackups } from '../../../src/features/backups/backup-folder.ts'
import { createBackupRunner } from '../../../src/features/backups/run-backup.ts'
import { systemClock } from '../../../src/lib/time/clock.ts'
import type { StoredTombstone } from '../../../src/storage/port/deletion-store.ts'
import type { ChangeStore } from '../../../src/storage/port/record-store.ts'
import { TABLE_NAMES } from '../../../src/storage/shared/schema/tables.ts'
import { createTest, test } from '../../helpers/storage/engines.ts'
import {
  createRecordWithTraces,
  expectTextsAbsent,
  hashOfReference,
  NAME,
  REFERENCE,
  saveRejectedPush,
  VALUE,
} from '../../helpers/storage/erasure.ts'
import { loggedRequest, pushWrite } from '../../helpers/storage/fixtures.ts'
import { postgresEngine } from '../../helpers/storage/postgres.ts'
import { removePlatform } from '../../helpers/storage/removals.ts'
import { sqliteEngine } from '../../helpers/storage/sqlite.ts'
import { isDeep } from '../../helpers/time/tier.ts'

const testOnSqlite = createTest({ engines: [sqliteEngine] })
const testOnPostgres = createTest({ engines: [postgresEngine] })

const tombstone = (reference: string, record_id: number): StoredTombstone => ({
  reference_hash: hashOfReference(reference),
  platform_name: 'school',
  record_type: 'students',
  mode: 'erase',
  record_id,
  at: '2026-03-11T08:00:00.000Z',
  actor: 'ann@example.org',
})

async function listChanges(changes: ChangeStore) {
  const all = { platform: null, record_type: null, after: 0, limit: 1000, maxBytes: 10_000_000 }
  const page = await changes.listChanges(all)
  assert.ok(page.outcome === 'found')
  return page.changes
}

test('a copy of a backup has equal records, also with unusual content', async (kit) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-contract-backup-'))
  try {
    const school = await kit.register()
    const large = 'é\u2028\\'.repeat(10_000)
    const texts = ['\\', '\\N', '\\.', '"\t\n\r', '{"a":1}', '\u2028\u0085', '👍', "'; --", large]
    for (const [index, full_name] of texts.entries()) {
      const data = `{"a":${JSON.stringify(full_name)},"n":1.10,"big":123456789012345678901}`
      await school.post({ reference: `r-${index}`, full_name: full_name.slice(0, 9), data })
    }
    // Its record is being deleted, so only the backup has it.
    const clinic = await kit.register({ name: 'clinic' })
    await clinic.post()
    await removePlatform(kit, clinic)
    await kit.storage.requests.saveRequests([loggedRequest(school)], 1e6)
    const path = join(folder, 'one.recordhub-backup')
    // Its key takes long to derive.
    const isEncrypted = isDeep
    const passphrase = isEncrypted ? 'a passphrase of tests' : null
    const { backups, changes } = kit.storage
    const request = { path, passphrase, secretFingerprint: 'abcd', hubVersion: '1.0.0' }
    const info = await backups.writeBackup(request)
    assert.equal(info.tables['records'], texts.length + 1)
    assert.equal(info.tables['requests'], undefined)
    assert.deepEqual(await backups.readBackupInfo(path), info)
    await backups.checkBackup({ path, passphrase })
    await assert.rejects(backups.writeBackup(request), { code: 'backup_failed' })
    const expected = await listChanges(changes)
    assert.equal(expected.length, texts.length)
    await school.post({ reference: 'later' })
    const copy = await backups.openCopy({ path, folder, passphrase })
    const copied = await listChanges(copy.changes)
    assert.deepEqual(copied.slice(0, -1), expected)
    assert.equal(copied.length, texts.length + 1)
    await copy.close()
    assert.deepEqual(readdirSync(folder), ['one.recordhub-backup'])
    assert.equal((await listChanges(changes)).length, texts.length + 1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a backup that is aborted leaves no file', async (kit) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-contract-backup-'))
  try {
    const path = join(folder, 'one.recordhub-backup')
    const request = { path, passphrase: null, secretFingerprint: null, hubVersion: '1.0.0' }
    const signal = AbortSignal.abort()
    const aborted = kit.storage.backups.writeBackup({ ...request, signal })
    await assert.rejects(aborted, { code: 'backup_failed' })
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('importing a tombstone erases the record and everything that names it, once', async (kit) => {
  const { id } = await createRecordWithTraces(kit)
  const { erasure } = kit.storage
  // A restored record may have another id.
  const imported = [tombstone(REFERENCE, id + 1000)]
  assert.deepEqual(await erasure.importTombstones(imported), { erased: 1, added: 0 })
  await expectTextsAbsent(kit, [REFERENCE, NAME, VALUE])
  assert.equal(await kit.countRows('records'), 1)
  assert.deepEqual(await erasure.importTombstones(imported), { erased: 0, added: 0 })
  assert.equal((await erasure.listTombstones({ limit: 10, before: null })).length, 1)
})

test('importing the tombstone of an unknown record stores it, and erases what names the record', async (kit) => {
  const school = await kit.register()
  await saveRejectedPush(kit, school, REFERENCE)
  await saveRejectedPush(kit, school, 'other')
  const imported = [tombstone(REFERENCE, 77)]
  const { importTombstones } = kit.storage.erasure
  assert.deepEqual(await importTombstones(imported), { erased: 0, added: 1 })
  await expectTextsAbsent(kit, [REFERENCE])
  assert.equal(await kit.countRows('rejected_pushes'), 1)
  const [rejected] = await kit.write(pushWrite(school, { reference: REFERENCE }))
  assert.equal(rejected?.outcome, 'rejected')
})

testOnSqlite(
  'a scheduled backup whose restore test fails raises an alert, and no backup is deleted',
  async (kit) => {
    const folder = mkdtempSync(join(tmpdir(), 'recordhub-contract-drill-'))
    let isDiskFull = false
    const { backups, alerts } = kit.storage
    const runner = createBackupRunner({
      ...{
        ...kit.storage,
        backups: {
          ...backups,
          openCopy: (options) =>
            isDiskFull ? Promise.reject(new Error('full')) : backups.openCopy(options),
        },
        // A backup has the time of the system.
        clock: systemClock,
        config: { HUB_BACKUP_KEEP: 1, HUB_BACKUP_DRILL: true },
        log: { error: () => undefined, info: () => undefined },
      },
      ...{ folder, passphrase: null, secretFingerprint: 'x', version: '0.0.0-test' },
    })
    const makeBackup = async () => {
      await runner.makeScheduledBackup()
      const open = await alerts.listOpenAlerts()
      return {
        messages: open.map(({ message }) => message.replace(/\S+\.recordhub-backup/, 'it')),
        drills: (await listDrilledBackups(folder, backups)).map(
          ({ drill }) => drill?.passed ?? null,
        ),
      }
    }
    try {
      await (await kit.register()).post()
      assert.deepEqual(await makeBackup(), { messages: [], drills: [true] })
      isDiskFull = true
      const messages = ['The restore test of it failed: full']
      assert.deepEqual(await makeBackup(), { messages, drills: [null, true] })
      isDiskFull = false
      assert.deepEqual(await makeBackup(), { messages: [], drills: [true] })
      assert.equal(readdirSync(folder).length, 2)
    } finally {
      await runner.stop()
      rmSync(folder, { recursive: true })
    }
  },
)

testOnPostgres(
  'backups on PostgreSQL contain every table, except for the text index and the list of migrations',
  async (kit) => {
    const rows =
      await kit.runSql(`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
       AND tablename NOT LIKE 'kysely%' AND tablename <> 'record_search' ORDER BY tablename`)
    assert.deepEqual(
      rows.map(({ tablename }) => tablename),
      TABLE_NAMES.toSorted(),
    )
  },
)
