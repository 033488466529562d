/** The digest of the runner agrees with its list, on every engine and for files. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPlatformHandler } from '@recordhub/platform-kit'
import { createDigest, readVersion } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { loadPlatform } from '../src/platform/load-platform.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { openSource } from '../src/sources/open-source.ts'
import { ENGINES } from './helpers/engines.ts'

const md5 = (text: string) => hash('md5', text)
const KEY = 'a source key of 24 chars'

type Element = { reference_number: string; version?: unknown }
type Body = { records: Element[]; prefix?: string; buckets: [string, number, number][] }

/** Loads the platform of some settings, which are YAML. */
async function load({ source, modules }: { source: string; modules: string }) {
  const text = `platform: { name: hr, title: HR, source_key: ${KEY} }\nsource: ${source}\nmodules:\n${modules}`
  const read = readSettings(text, { name: 'platform.yaml', folder: '/' }, {})
  assert.ok(read.outcome === 'valid', JSON.stringify(read))
  const { settings } = read
  const opened = await openSource(settings.source)
  const { definition } = await loadPlatform(settings, opened, () => undefined)
  const errors: unknown[] = []
  const handler = createPlatformHandler(definition, { onError: (error) => errors.push(error) })
  return async (path: string): Promise<{ status: number; body: Body }> => {
    const headers = { 'X-PLATFORM-API-KEY': KEY }
    const response = await handler(
      new Request(`http://any/api/hub/records/people${path}`, { headers }),
    )
    assert.ok(response)
    const answer = await response.text()
    assert.deepEqual(errors, [])
    return { status: response.status, body: Object(parseLossless(answer)) }
  }
}

async function compare(get: Awaited<ReturnType<typeof load>>): Promise<Element[]> {
  const { records } = (await get('')).body
  for (const prefixes of [null, ['3', 'a'], ['00', '7f', 'c']]) {
    const expected = createDigest({ digits: 2, prefixes }, md5)
    for (const { reference_number, version } of records) {
      expected.add(reference_number, readVersion(version) ?? assert.fail(reference_number))
    }
    const query = prefixes ? `&prefix=${prefixes.join()}` : ''
    const { buckets } = (await get(`/digest?digits=2${query}`)).body
    assert.deepEqual(
      new Map(buckets.map(([prefix, count, sum]) => [prefix, { count, sum }])),
      expected.buckets,
    )
    if (!prefixes) continue
    const selected = (await get(`?prefix=${prefixes.join()}`)).body
    assert.equal(selected.prefix, prefixes.join())
    const isSelected = (one: Element) =>
      prefixes.some((prefix) => md5(one.reference_number).startsWith(prefix))
    const byReference = (all: Element[]) =>
      all.toSorted((one, other) => (one.reference_number < other.reference_number ? -1 : 1))
    assert.deepEqual(byReference(selected.records), byReference(records.filter(isSelected)))
  }
  return records
}

const NAMES = ['Zoë 😀', ' padded  ', "O''Neil", 'a%b_c!', '6BA7B810-9DAD', 'ÅΩ漢字', '   ']
const people = Array.from({ length: 200 }, (_, index) => {
  const name = `${NAMES[index % NAMES.length]}`
  return `(${index}, '${name}', '2026-11-28 07:30:00.${String(index).padStart(6, '0')}')`
})
const TABLE = (time: string) => [
  `CREATE TABLE people (id INTEGER, name VARCHAR(50), changed ${time}, big BIGINT, amount DECIMAL(12,2))`,
  `INSERT INTO people (id, name, changed) VALUES ${people.join(', ')}`,
  `UPDATE people SET big = 9007199254740993 + id, amount = id * 1.1`,
  // Rows without a reference are not in the list.
  `INSERT INTO people VALUES (NULL, 'no', NULL, NULL, 1), (900, '', NULL, 1, 1)`,
]
const REFERENCES = ['id', '"{name}-{id}/é"', '"{big}"', '"{id}:{amount}"']

for (const { name, missing, open } of ENGINES) {
  const options = { ...PROCESS_TEST, skip: missing }
  const time = { PostgreSQL: 'timestamptz', MariaDB: 'DATETIME(6)', SQLite: 'TEXT' }[name]

  test(
    `${name}: list, digest and prefix agree for every reference and version`,
    options,
    async (t) => {
      const database = await open(t)
      await database.run(...TABLE(time), 'DELETE FROM people WHERE id = 900')
      const source = `{ database: "${database.address}" }`
      for (const reference of REFERENCES) {
        for (const version of ['', 'version: changed', 'version: big', 'version: name']) {
          const modules = `  - record_type: people
    query: SELECT * FROM people WHERE id IS NOT NULL OR name = 'no'
    reference: ${reference}
    full_name: name
    ${version}\n`
          const records = await compare(await load({ source, modules }))
          assert.ok(records.length >= 200, `${reference} ${version}`)
        }
      }
    },
  )

  test(
    `${name}: there is no digest while a row with a reference has no version`,
    options,
    async (t) => {
      const database = await open(t)
      await database.run(...TABLE(time))
      const source = `{ database: "${database.address}" }`
      const modules = `  - record_type: people
    table: people
    reference: id
    full_name: name
    version: changed\n`
      const get = await load({ source, modules })
      const { records } = (await get('')).body
      assert.equal(records.length, 201)
      const missing = records.filter(({ version }) => version === undefined)
      assert.deepEqual(
        missing.map((one) => one.reference_number),
        ['900'],
      )
      assert.equal((await get('/digest?digits=2')).status, 404)
    },
  )
}

test('the version of a row of a file is a hash, which changes with each of its values', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-digest-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'people.csv')
  const modules = `  - record_type: people
    file: people.csv
    reference: id
    full_name: name\n`
  const read = async (csv: string) => {
    writeFileSync(path, csv)
    return compare(await load({ source: `{ folder: "${folder}" }`, modules }))
  }
  const before = await read('id,name,job\nE-1,Zoë,cook\nE-2,Bob,smith\n')
  const after = await read('id,name,job\nE-1,Zoë,cook\nE-2,Bob,baker\n')
  assert.deepEqual(before[0], after[0])
  assert.notDeepEqual(before[1]?.version, after[1]?.version)
})
