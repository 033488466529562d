import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../settings/read-settings.ts'
import { openSource } from '../sources/open-source.ts'
import { describeChange } from './check-columns.ts'
import { loadPlatform } from './load-platform.ts'

const { signal } = new AbortController()

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-columns-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Loads a platform with one module, and requests its records as the kit does. */
async function load(folder: string, source: string, origin: string) {
  const text = `platform: { name: x, source_key: 0123456789abcdef }
source: { ${source} }
modules: [{ record_type: people, ${origin}, reference: id, full_name: id }]
`
  const read = readSettings(text, { name: 'platform.yaml', folder }, {})
  assert.ok(read.outcome === 'valid')
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const { definition } = await loadPlatform(
    read.settings,
    await openSource(read.settings.source),
    log,
  )
  const [module] = definition.modules
  async function readRecords(): Promise<void> {
    await module?.version?.()
    const records = await module?.records?.({ signal })
    assert.ok(records)
    for await (const _ of records);
  }
  return { lines, readRecords }
}

const RENAMED =
  'people: the columns have changed since recordhub-platform started (missing: name; new: full_name); restart recordhub-platform to read the columns again'

test('a renamed column of a database is logged once, with the advice to restart', async (t) => {
  const folder = makeFolder(t)
  const database = new DatabaseSync(join(folder, 'a.sqlite'))
  t.after(() => database.close())
  database.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, name, updated_at DATETIME)')
  for (const origin of ['table: people', 'table: people, updated_at: updated_at']) {
    const { lines, readRecords } = await load(folder, 'database: "sqlite:a.sqlite"', origin)
    await readRecords()
    assert.deepEqual(lines, [])
    database.exec('ALTER TABLE people RENAME COLUMN name TO full_name')
    await assert.rejects(readRecords(), /no such column/)
    await assert.rejects(readRecords(), /no such column/)
    assert.deepEqual(lines, [RENAMED])
    database.exec('ALTER TABLE people RENAME COLUMN full_name TO name')
  }
})

test('a renamed column of a file is logged once, with the advice to restart', async (t) => {
  const folder = makeFolder(t)
  const files = {
    'people.csv': { before: 'id,name\n1,Ann\n', after: 'id,full_name\n1,Anna\n' },
    'people.ndjson': { before: '{"id":1,"name":"Ann"}', after: '{"id":1,"full_name":"Anna"}' },
  }
  for (const [file, { before, after }] of Object.entries(files)) {
    writeFileSync(join(folder, file), before)
    const { lines, readRecords } = await load(folder, 'folder: .', `file: ${file}`)
    await readRecords()
    assert.deepEqual(lines, [])
    writeFileSync(join(folder, file), after)
    for (let count = 0; count < 2; count += 1) await readRecords().catch(() => undefined)
    assert.deepEqual(lines, [RENAMED])
  }
})

test('new columns are a change, another order of the columns is not', () => {
  assert.equal(describeChange(['id', 'name'], ['name', 'id']), null)
  assert.match(describeChange(['id'], ['id', 'x']) ?? '', /\(new: x\)/)
})
