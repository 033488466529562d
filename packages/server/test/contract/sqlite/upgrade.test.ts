/** The upgrade of a database file by a hub of a later version. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { HubError } from '../../../src/errors.ts'
import { readBackupInfo, writeBackup } from '../../../src/storage/backup.ts'
import type { Migrations } from '../../../src/storage/shared/schema/migrate.ts'
import { migrations as current } from '../../../src/storage/sqlite/migrations/index.ts'
import { openSqlite } from '../../../src/storage/sqlite/storage.ts'
import { prepareUpgrade } from '../../../src/storage/sqlite/upgrade.ts'
import { hashReference, TestClock } from '../../helpers/storage/engine.ts'
import { EXTRA, withExtraMigrations } from '../../helpers/storage/extra-migrations.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { interruptCreation, migratedFile } from '../../helpers/storage/sqlite.ts'
import { isDeep } from '../../helpers/time/tier.ts'

const PASSPHRASE = 'correct horse battery staple'

/** @param passphrase encrypts backups. Its key takes long to derive. */
async function createDatabase(t: TestContext, passphrase: string | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-upgrade-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hub.sqlite')
  const clock = new TestClock()
  const options = { path, asHub: true, timeZone: 'UTC', clock, hashReference, withThreads: false }
  await writeFile(path, await migratedFile())
  const storage = await openSqlite(options)
  const school = await registerTestPlatform({ storage, clock })
  await write({ storage, clock }, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  await storage.close()
  const messages: string[] = []
  const backups = join(folder, 'backups')
  const upgrade = {
    backup: {
      folder: backups,
      passphrase,
      write: (target: string) =>
        writeBackup(
          { url: `sqlite:${path}`, dataDir: folder },
          { path: target, passphrase, secretFingerprint: null, hubVersion: '1.2.3' },
        ),
    },
    log: (message: string) => void messages.push(message),
  }
  return { folder, path, options, backups, upgrade, messages }
}

test('a hub starts after a power failure has interrupted the creation of its database', async (t) => {
  const { folder, options, upgrade } = await createDatabase(t)
  const path = join(folder, 'interrupted.sqlite')
  interruptCreation(path)
  const storage = await openSqlite({ ...options, path, upgrade })
  assert.deepEqual(await listRecords(storage), [])
  await storage.close()
})

test('an upgrade writes a backup and keeps all records', async (t) => {
  const { path, options, backups, upgrade, messages } = await createDatabase(
    t,
    isDeep ? PASSPHRASE : null,
  )
  const migrations = withExtraMigrations('SQLite')
  const storage = await openSqlite({ ...options, upgrade, migrations })
  assert.equal((await listRecords(storage)).length, 2)
  await storage.close()
  const [name = '', ...others] = readdirSync(backups)
  assert.deepEqual(others, [])
  const info = await readBackupInfo(join(backups, name))
  assert.deepEqual([info.tables['records'], info.encrypted], [2, isDeep])
  assert.deepEqual(info.migrations, Object.keys(current))
  assert.match(messages[0] ?? '', /9001-add-notes, 9002-add-labels/)
  assert.ok(!existsSync(`${path}.rehearsal`))
  // Nothing is pending any more.
  await (await openSqlite({ ...options, upgrade, migrations })).close()
  assert.equal(readdirSync(backups).length, 1)
  const downgraded = openSqlite({ ...options, upgrade })
  await assert.rejects(downgraded, { code: 'newer_schema', message: /9001-add-notes/ })
})

const failing = (up: (db: Kysely<unknown>) => Promise<unknown>): Migrations => ({
  ...withExtraMigrations('SQLite'),
  '9003-fails': { up: async (db: Kysely<unknown>) => void (await up(db)) },
})

if (isDeep)
  test('a migration that fails on the copy leaves the database unchanged, and its backup is used again', async (t) => {
    const { path, options, backups, upgrade } = await createDatabase(t)
    const migrations = failing((db) => sql`SELECT 1 FROM nowhere`.execute(db))
    const before = readFileSync(path)
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(openSqlite({ ...options, upgrade, migrations }), {
        code: 'upgrade_rehearsal_failed',
        message: /no such table: nowhere/,
      })
    }
    assert.ok(readFileSync(path).equals(before))
    // The second attempt used the backup of the first one.
    assert.equal(readdirSync(backups).length, 1)
    assert.ok(!existsSync(`${path}.rehearsal`))
    const previous = await openSqlite(options)
    assert.equal((await listRecords(previous)).length, 2)
    await previous.activity.appendAudit({
      ...{ actor: 'a', action: 'pull.start', target: null, address: null },
    })
    await previous.close()
    // That backup no longer has the state of the database.
    const write = async () => {
      throw new HubError('backup_failed', { reason: 'another one is written' })
    }
    const again = { ...upgrade, backup: { ...upgrade.backup, write } }
    await assert.rejects(openSqlite({ ...options, upgrade: again, migrations }), {
      message: /another one is written/,
    })
  })

test('a migration that loses records on the copy leaves the database unchanged', async (t) => {
  const { path, options, upgrade } = await createDatabase(t)
  const migrations = failing((db) =>
    sql`DELETE FROM records WHERE reference_number = 'r-2'`.execute(db),
  )
  const before = readFileSync(path)
  const withoutBackup = { ...upgrade, backup: null }
  await assert.rejects(openSqlite({ ...options, upgrade: withoutBackup, migrations }), {
    code: 'upgrade_rehearsal_failed',
    message: /the table records has 1 rows instead of 2/,
  })
  assert.ok(readFileSync(path).equals(before))
})

test('without enough free space, the upgrade is refused with the space that it needs', async (t) => {
  const { path, options, backups, upgrade } = await createDatabase(t)
  const migrations = withExtraMigrations('SQLite')
  const readSpace = async () => ({ available: 1024 ** 2, total: 1e9 })
  const preparing = prepareUpgrade(path, { migrations, upgrade, readSpace })
  await assert.rejects(preparing, {
    code: 'upgrade_needs_space',
    message: /needs \d+ MiB .* 1 MiB/,
  })
  assert.deepEqual(readdirSync(backups), [])
  await (await openSqlite(options)).close()
})

test('with backups turned off, the copy is still migrated first', async (t) => {
  const { options, backups, upgrade, messages } = await createDatabase(t)
  const off = { ...upgrade, backup: null }
  const migrations = withExtraMigrations('SQLite')
  await (await openSqlite({ ...options, upgrade: off, migrations })).close()
  assert.ok(!existsSync(backups))
  assert.match(messages.join('\n'), /HUB_UPGRADE_BACKUP is off.*\n.*succeeded on a copy/)
})

test('a command does not migrate the database of an older version', async (t) => {
  const { options } = await createDatabase(t)
  const command = { ...options, asHub: false, migrations: withExtraMigrations('SQLite') }
  await assert.rejects(openSqlite(command), {
    code: 'older_schema',
    message: new RegExp(EXTRA.join(', ')),
  })
  const previous = await openSqlite({ ...options, asHub: false })
  assert.equal((await listRecords(previous)).length, 2)
  await previous.close()
})
