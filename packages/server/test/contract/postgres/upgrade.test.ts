/** The upgrade of a database by nodes of a later version. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../../src/errors.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { createDatabase, withDatabase } from '../../helpers/postgres/database.ts'
import { openNodeStorage } from '../../helpers/postgres/nodes.ts'
import { TEST_POSTGRES_OPTIONS } from '../../helpers/postgres/prepare-database.ts'
import { EXTRA, withExtraMigrations } from '../../helpers/storage/extra-migrations.ts'

test('of nodes that start at once, one writes a backup and migrates, and the others wait', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  await (await openNodeStorage(database.url)).close()
  const backups: string[] = []
  const messages: string[] = []
  let migrated = 0
  const migrations = withExtraMigrations('PostgreSQL', async (step) => {
    if (step === 'column added') migrated += 1
  })
  const upgrade = {
    backup: {
      folder: 'backups',
      passphrase: null,
      write: async (path: string) => void backups.push(path),
    },
    log: (message: string) => void messages.push(message),
  }
  const options = { ...TEST_POSTGRES_OPTIONS, url: database.url, timeZone: 'UTC', migrations }
  const command = openPostgres({ ...options, asHub: false })
  await assert.rejects(command, { code: 'older_schema', message: new RegExp(EXTRA.join(', ')) })
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres({ ...options, upgrade })))
  await Promise.all(nodes.map((node) => node.checkWritable()))
  await Promise.all(nodes.map((node) => node.close()))
  assert.deepEqual([migrated, backups.length], [1, 1])
  assert.match(backups[0] ?? '', /before-9001-add-notes-.*\.recordhub-backup$/)
  assert.match(messages.join('\n'), /9001-add-notes, 9002-add-labels/)
  const previous = openNodeStorage(database.url)
  await assert.rejects(previous, { code: 'newer_schema', message: /9001-add-notes/ })
})

test('without a way to write a backup, the operator is told, and one transaction migrates or nothing', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  await (await openNodeStorage(database.url)).close()
  const messages: string[] = []
  const upgrade = {
    backup: {
      folder: 'backups',
      passphrase: null,
      write: async () => {
        throw new HubError('backup_failed', { reason: 'pg_dump was not found' })
      },
    },
    log: (message: string) => void messages.push(message),
  }
  const options = { ...TEST_POSTGRES_OPTIONS, url: database.url, timeZone: 'UTC', upgrade }
  const failing = withExtraMigrations('PostgreSQL', async (step) => {
    if (step === 'table filled') throw new Error('it fails at the end')
  })
  await assert.rejects(openPostgres({ ...options, migrations: failing }))
  const columns = await withDatabase(database.url, (client) =>
    client.query(
      `SELECT 1 FROM information_schema.columns WHERE table_name = 'records' AND column_name = 'note'`,
    ),
  )
  assert.equal(columns.rowCount, 0)
  await (await openNodeStorage(database.url)).close()
  assert.match(messages.join('\n'), /There is no automatic backup .*pg_dump was not found/)
  const migrations = withExtraMigrations('PostgreSQL')
  await (await openPostgres({ ...options, migrations })).close()
})
