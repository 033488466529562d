import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { HubError } from '../../errors.ts'
import { openConnections } from './connection.ts'

test('closed connections leave the database in one file, also if nothing was read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'recordhub-connection-'))
  t.after(() => rm(folder, { recursive: true }))
  const connections = openConnections(join(folder, 'hub.sqlite'))
  await connections.withWriteLock(() =>
    connections.database.exec('CREATE TABLE things (id INTEGER)'),
  )
  await connections.close()
  assert.deepEqual(await readdir(folder), ['hub.sqlite'])
})

test('a transaction that finds the disk full fails with that reason, and the next one succeeds', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'recordhub-connection-'))
  t.after(() => rm(folder, { recursive: true }))
  const { database, writer, close } = openConnections(join(folder, 'hub.sqlite'))
  database.exec('CREATE TABLE things (content BLOB)')
  const insert = (bytes: number) =>
    writer
      .transaction()
      .execute((trx) => sql`INSERT INTO things VALUES (zeroblob(${bytes}))`.execute(trx))
  const allow = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`)
  allow(10)
  await assert.rejects(
    insert(1_000_000),
    (error) => error instanceof HubError && error.code === 'disk_full',
  )
  allow(10_000)
  await insert(1_000_000)
  await close()
})
