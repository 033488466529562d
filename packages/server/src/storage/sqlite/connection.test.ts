import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
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
