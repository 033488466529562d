/** Diagnostics of damaged files. */
import assert from 'node:assert/strict'
import {
  closeSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type TestContext, test } from 'node:test'
import { openDiagnostics } from '../../../src/storage/sqlite/diagnostics.ts'
import { searchFileOf } from '../../../src/storage/sqlite/search-file.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { pushWrite, registerTestPlatform, write } from '../../helpers/storage/fixtures.ts'
import { indexAll } from '../../helpers/storage/search.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { openTemporarySqlite } from '../../helpers/storage/sqlite.ts'

const PAGE = 4096

/** The path of a database with records whose storage is closed, as after the end of a hub. */
async function createClosedDatabase(t: TestContext, change = ''): Promise<string> {
  const clock = new TestClock()
  const { storage, path, folder } = await openTemporarySqlite(clock)
  t.after(() => rmSync(folder, { recursive: true }))
  const school = await registerTestPlatform({ storage, clock })
  const references = Array.from({ length: 500 }, (_, n) => `r-${n}`)
  await write(
    { storage, clock },
    ...references.map((reference) => pushWrite(school, { reference })),
  )
  await indexAll(storage)
  if (change) await runSql(storage, change)
  await storage.close()
  return path
}

/** Overwrites bytes of a file from an offset on. */
function damage(path: string, offset: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(PAGE * 3, 0xa5), 0, PAGE * 3, offset)
  closeSync(file)
}

test('damaged pages are found, and the size can still be read', async (t) => {
  const path = await createClosedDatabase(t)
  damage(path, Math.floor(statSync(path).size / PAGE / 2) * PAGE)
  const database = openDiagnostics(path)
  const found = await database.findDamage()
  assert.ok(found.length > 0)
  assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(['damaged']))
  assert.equal((await database.readServer()).bytes, statSync(path).size)
  assert.equal(await database.isHubRunning(), false)
  await database.close()
})

test('a file that is not a database is reported, and an empty file has no schema', async (t) => {
  const path = await createClosedDatabase(t)
  writeFileSync(path, 'This is not a database. '.repeat(1000))
  const database = openDiagnostics(path)
  const [found] = await database.findDamage()
  assert.deepEqual([found?.kind, found?.detail], ['damaged', 'file is not a database'])
  await assert.rejects(database.readSchema(), { code: 'storage_unavailable' })
  await database.close()
  writeFileSync(path, '')
  const empty = openDiagnostics(path)
  assert.deepEqual((await empty.readSchema()).applied, [])
  await empty.close()
})

test('a truncated text index is found', async (t) => {
  const path = await createClosedDatabase(t)
  truncateSync(searchFileOf(path), PAGE * 2 + 100)
  const database = openDiagnostics(path)
  const found = await database.findDamage()
  assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(['damaged_text_index']))
  await database.close()
})

test('a write sequence below the last change is found', async (t) => {
  const path = await createClosedDatabase(t, 'UPDATE write_sequence SET value = 3')
  const database = openDiagnostics(path)
  assert.deepEqual(await database.findDefects(), [
    {
      ...{ kind: 'sequence_behind', name: 'write_sequence' },
      detail: 'its value is 3, but change 500 exists',
    },
  ])
  await database.close()
})
