/** Replacing a database file by a backup. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { REFERENCES_PURPOSE } from '../../../src/domain/platform/api-key.ts'
import { createSecretBox } from '../../../src/lib/crypto/secret-box.ts'
import { restoreBackup, writeBackup } from '../../../src/storage/backup.ts'
import { openDiagnostics } from '../../../src/storage/sqlite/diagnostics.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import { createKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { openTemporarySqlite } from '../../helpers/storage/sqlite.ts'

const SECRET = 'the secret of a restored hub, 32 characters or more'

/** A database with a backup, after which one of its two records was erased and another one was pushed. */
async function createDatabase(t: TestContext) {
  const context = await openTemporarySqlite(new TestClock(), { withThreads: false })
  const { folder, path } = context
  t.after(() => rmSync(folder, { recursive: true }))
  const kit = createKit(context)
  const school = await kit.register()
  const key = Buffer.from('a key of tests').toString('base64url')
  await context.storage.encryptedSecrets.ensureReferencesKey(
    createSecretBox(SECRET).encrypt(key, REFERENCES_PURPOSE),
  )
  await school.post({ reference: 'r-1' })
  const { record_id } = await school.post({ reference: 'erased' })
  await school.pull(async (read) => {
    const pulled = ['r-1', 'erased'].map((reference) => ({ reference, version: '1' }))
    await kit.write(...pulled.map((element) => pullWrite(read, element)))
  })
  await kit.runSql(`INSERT INTO operators (id, name, email, email_verified, role, created_at, updated_at)
    VALUES ('ann', 'Ann', 'ann@example.org', 0, 'admin', '2026', '2026')`)
  await kit.runSql(
    `INSERT INTO operator_sessions (id, operator_id, token, expires_at, created_at, updated_at)
    VALUES ('s', 'ann', 't', '2999', '2026', '2026')`,
  )
  const backup = join(folder, 'one.recordhub-backup')
  const location = { url: `sqlite:${path}`, dataDir: folder }
  const request = { passphrase: null, secretFingerprint: null, hubVersion: '1.0.0' }
  await writeBackup(location, { ...request, path: backup })
  await school.post({ reference: 'r-2' })
  await erase(kit, record_id, 'erase')
  const restore = (overrides: { force?: boolean; secrets?: string[] } = {}) =>
    restoreBackup(location, {
      ...{ path: backup, passphrase: null, timeZone: 'UTC' },
      ...{ force: true, secrets: [SECRET], ...overrides },
    })
  return { ...context, backup, restore }
}

test('a restore replaces the records except erased ones, ends all sessions and keeps the replaced database', async (t) => {
  const { storage, restore, folder, path } = await createDatabase(t)
  await storage.close()
  const { kept } = await restore()
  using database = new DatabaseSync(path)
  const records = database.prepare('SELECT reference_number FROM records').all()
  assert.deepEqual(
    records.map((record) => record['reference_number']),
    ['r-1'],
  )
  assert.deepEqual(database.prepare('SELECT * FROM operator_sessions').all(), [])
  const diagnostics = openDiagnostics(path)
  assert.deepEqual(await diagnostics.compareCounters(), [], 'the sums lack the erased record')
  await diagnostics.close()
  const { versions } =
    database.prepare('SELECT sum(versions) AS versions FROM module_counters').get() ?? {}
  assert.equal(versions, 1)
  assert.ok(readdirSync(folder).some((name) => kept?.endsWith(name)))
})

test('a restore beside a running hub, without force, with a wrong secret or of a damaged backup changes nothing', async (t) => {
  const { storage, backup, restore, folder, path } = await createDatabase(t)
  await assert.rejects(restore(), { code: 'restore_hub_running' })
  await storage.close()
  const before = readFileSync(path)
  const files = readdirSync(folder)
  await assert.rejects(restore({ secrets: ['x'.repeat(32)] }), { code: 'backup_secret_wrong' })
  await assert.rejects(restore({ force: false }), { code: 'restore_would_overwrite' })
  // The backup ends with its checksum, so all of it was unpacked before.
  writeFileSync(backup, readFileSync(backup).subarray(0, -1))
  await assert.rejects(restore(), { code: 'backup_damaged' })
  assert.deepEqual(readFileSync(path), before)
  assert.deepEqual(readdirSync(folder), files)
})
