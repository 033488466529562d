/** A program beside a database that a newer version has migrated: it changes nothing, and says how to go back. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { PROCESS_TEST, type Sandbox } from '../helpers/process/sandbox.ts'
import { hashReference, TestClock } from '../helpers/storage/engine.ts'
import { pushWrite, registerTestPlatform, write } from '../helpers/storage/fixtures.ts'

const NEWER = `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2126')`

/** Creates a database on SQLite with two records. */
async function createData({ folder }: Sandbox): Promise<void> {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const [path, clock] = [join(data, 'recordhub.sqlite'), new TestClock()]
  const options = { asHub: true, timeZone: 'UTC', withThreads: false }
  const storage = await openSqlite({ ...options, path, clock, hashReference })
  const school = await registerTestPlatform({ storage, clock })
  await write({ storage, clock }, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  await storage.close()
}

for (const engine of enginesForTier(sqlite)) {
  test(
    `an older program refuses a newer schema at its start (${engine.name})`,
    PROCESS_TEST,
    async (t) => {
      const kit = await engine.createSandbox(t)
      if (engine === sqlite) await createData(kit.sandbox)
      await kit.changeDatabase(NEWER)
      const refused = await kit.sandbox.run(['start'], { env: { PORT: '0' } })
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr.join('\n'),
        /A newer version .*\(9999-future\).*Start that version/,
      )
      const doctor = await kit.sandbox.run(['doctor', '--quick'])
      assert.equal(doctor.code, 1)
      assert.match(doctor.stdout.join('\n'), /newer version of Recordhub .*9999-future/)
      const out = join(kit.sandbox.folder, 'newer.recordhub-backup')
      const backup = await kit.sandbox.run(['backup', '--out', out])
      assert.equal(backup.code, 0, backup.stderr.join('\n'))
      const restored = await kit.sandbox.run(['restore', out, '--force'])
      assert.equal(restored.code, 1)
      assert.match(restored.stderr.join('\n'), /A newer version of Recordhub .*9999-future/)
    },
  )
}

test('rollback lists the backups and what each would lose', PROCESS_TEST, async (t) => {
  const { sandbox, changeDatabase } = await sqlite.createSandbox(t)
  await createData(sandbox)
  const written = await sandbox.run(['backup'])
  assert.equal(written.code, 0, written.stderr.join('\n'))
  await changeDatabase(NEWER)
  await changeDatabase('UPDATE write_sequence SET value = value + 1')
  await changeDatabase(
    'UPDATE records SET change_seq = (SELECT value FROM write_sequence) WHERE record_id = 1',
  )
  const { code, stdout } = await sandbox.run(['rollback'])
  assert.equal(code, 0)
  const text = stdout.join('\n')
  assert.match(text, /has the schema 9999-future/)
  assert.match(text, / 1 records that were created or changed, 0 deletions/)
  assert.match(text, /recordhub restore \S+\.recordhub-backup --force/)
})
