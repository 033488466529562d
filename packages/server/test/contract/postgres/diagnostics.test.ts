/** Problems that only PostgreSQL can have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDiagnostics } from '../../../src/storage/postgres/diagnostics.ts'
import { createDatabase, withDatabase } from '../../helpers/postgres/database.ts'
import { prepareDatabase } from '../../helpers/postgres/prepare-database.ts'

test('invalid indexes, unvalidated constraints and wrong sequences are found', async () => {
  const { url, drop } = await createDatabase()
  try {
    await prepareDatabase(url)
    await withDatabase(url, (client) =>
      client.query(`
        UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'records_ids'::regclass;
        ALTER TABLE modules ADD CONSTRAINT positive CHECK (module_id > 0) NOT VALID;
        ALTER SEQUENCE write_sequence CACHE 20;
        INSERT INTO activity (activity_id, at, level, kind, message, details)
          VALUES (77, '2026', 'info', 'a.b', 'm', '{}')`),
    )
    const database = await openDiagnostics(url)
    const found = await database.findDefects()
    assert.deepEqual(
      found.map(({ kind, name, detail }) => `${kind} ${name}: ${detail}`),
      [
        'invalid_index records_ids: PostgreSQL does not use it',
        'not_validated positive: a constraint of modules',
        'sequence_cached write_sequence: its cache is 20',
        'sequence_behind public.activity_activity_id_seq: its value is 0, but activity has 77',
      ],
    )
    const { settings, engine_version, durability } = await database.readServer()
    assert.match(engine_version, /^\d+/)
    assert.equal(settings['server_encoding'], 'UTF8')
    assert.equal(durability?.synchronous_standby_names, '')
    await database.close()
  } finally {
    await drop()
  }
})

test('with amcheck, the content of indexes is verified', async (t) => {
  const { url, drop } = await createDatabase()
  t.after(drop)
  await prepareDatabase(url)
  const database = await openDiagnostics(url)
  t.after(() => database.close())
  assert.equal(await database.canVerifyIndexes(), false)
  const installed = await withDatabase(url, (client) =>
    client.query('CREATE EXTENSION amcheck').then(
      () => true,
      () => false,
    ),
  )
  assert.equal(await database.canVerifyIndexes(), installed)
  assert.deepEqual(await database.findDamage(), [])
})
