/** Runs the digest queries of the integration guide on every database that this machine has. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createDigest } from '@recordhub/protocol'
import { createConnection } from 'mysql2/promise'
import { withDatabase } from '../../server/test/helpers/postgres/database.ts'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { isDeep } from '../../server/test/helpers/time/tier.ts'
import { ENGINES, type OwnersDatabase, type OwnersEngine } from './helpers/engines.ts'

const GUIDE = new URL('../../../docs/platform-guide/2-endpoints.md', import.meta.url)
const guide = readFileSync(GUIDE, 'utf8')
const md5 = (text: string) => hash('md5', text)
const part = (text: string) => Number.parseInt(md5(text).slice(0, 12), 16)

type Name = OwnersEngine['name']
type Rows = unknown[][]

/** The rows of a list, as the guide says that reference and version are listed. */
const LIST: Record<Name, string> = {
  PostgreSQL: 'SELECT number::text, updated_at::text FROM employees',
  MariaDB: 'SELECT CONVERT(number USING utf8mb4), CONVERT(updated_at USING utf8mb4) FROM employees',
  SQLite: 'SELECT CAST(number AS TEXT), updated_at FROM employees',
}
const TITLES: Record<Name, string> = {
  PostgreSQL: 'PostgreSQL',
  MariaDB: 'MySQL 5.7 or later, MariaDB',
  SQLite: 'SQLite',
}

function guideQuery(name: Name, { digits, prefixes }: { digits: number; prefixes: string[] }) {
  const marker = `\`\`\`sql\n-- ${TITLES[name]}: digest\n`
  const [, rest = ''] = guide.split(marker)
  const [sql = ''] = rest.split('\n```')
  const where = prefixes.map((prefix) => `bucket LIKE '${prefix}%'`).join(' OR ')
  const adapted = sql
    .replace(/WHERE bucket LIKE .*/, prefixes.length === 0 ? '' : `WHERE ${where}`)
    .replaceAll(/\b(left\(bucket, |substr\(bucket, 1, )3\)/gi, `$1${digits})`)
  assert.match(adapted, /GROUP BY/)
  return adapted
}

async function query(name: Name, { address }: OwnersDatabase, sql: string): Promise<Rows> {
  if (name === 'PostgreSQL') {
    return withDatabase(address, async (client) => {
      return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
    })
  }
  if (name === 'MariaDB') {
    const connection = await createConnection({ uri: address, rowsAsArray: true })
    const [rows] = await connection.query(sql)
    await connection.end()
    assert.ok(Array.isArray(rows))
    return rows.map((row) => Object.values(row))
  }
  const database = new DatabaseSync(address.replace('sqlite:', ''), { readBigInts: false })
  database.function('md5', { deterministic: true }, (text) => md5(String(text)))
  database.function('part', { deterministic: true }, (text) => part(String(text)))
  const rows = database.prepare(sql).all().map(Object.values)
  database.close()
  return rows
}

const text = (value: unknown) => (value === null ? null : String(value))

async function compare(
  name: Name,
  database: OwnersDatabase,
  { digits, prefixes }: { digits: number; prefixes: string[] },
): Promise<number> {
  const listed = await query(name, database, LIST[name])
  const expected = createDigest({ digits, prefixes: prefixes.length ? prefixes : null }, md5)
  for (const [number, version] of listed) expected.add(text(number) ?? '', text(version) ?? '')
  const rows = await query(name, database, guideQuery(name, { digits, prefixes }))
  const sums = rows.map(([prefix, count, sum]) => [
    String(prefix),
    { count: Number(count), sum: Number(sum) },
  ])
  assert.deepEqual(sums.sort(), [...expected.buckets].sort())
  return listed.length
}

const REFERENCES = [
  ...['E-1', 'Zoë Łukasik 😀', ' padded', 'padded   ', 'a%b_c', "o''neil", 'tab\there', 'ÅΩ漢字'],
  ...['6BA7B810-9DAD-11D1-80B4-00C04FD430C8', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
]
const TIMES = ["'2026-11-28 07:30:00.123456'", "'2026-11-28 07:30:00'", 'NULL']
const time = (index: number) => TIMES[index % TIMES.length]
const values = (numbers: readonly (string | number)[]) =>
  numbers.map((number, index) => `(${number}, ${time(index)})`).join(', ')
const texts = values(REFERENCES.map((reference) => `'${reference}'`))
const INTEGERS = [...Array.from({ length: 40 }, (_, index) => index), -5, '9007199254740993']
const TIME: Record<Name, string> = {
  PostgreSQL: 'timestamptz',
  MariaDB: 'DATETIME(6)',
  SQLite: 'TEXT',
}

/** The statements that create a table or a view `employees`. */
const TABLES: Record<string, (name: Name) => string[] | null> = {
  'texts in any script, padded, and upper-case UUIDs': (name) => [
    `CREATE TABLE employees (number VARCHAR(100), updated_at ${TIME[name]})`,
    `INSERT INTO employees VALUES ${texts}`,
  ],
  integers: (name) => [
    `CREATE TABLE employees (number BIGINT, updated_at ${TIME[name]})`,
    `INSERT INTO employees VALUES ${values(INTEGERS)}`,
  ],
  'composite keys': (name) => [
    `CREATE TABLE parts (company VARCHAR(20), part INTEGER, updated_at ${TIME[name]})`,
    `INSERT INTO parts VALUES ('Åsa', 1, ${TIMES[0]}), ('Åsa', 11, NULL), ('B', 1, ${TIMES[1]})`,
    `CREATE VIEW employees AS SELECT ${
      name === 'MariaDB' ? "CONCAT(company, '-', part)" : "company || '-' || part"
    } AS number, updated_at FROM parts`,
  ],
  'columns of another type or encoding': (name) => {
    if (name === 'SQLite') return null
    const [type, references] =
      name === 'MariaDB'
        ? ['VARCHAR(100) CHARACTER SET latin1', ["'Zoë'", "'Ärger '"]]
        : ['uuid', [`'${REFERENCES.at(-2)}'`, "'00000000-0000-0000-0000-00000000000A'"]]
    return [
      `CREATE TABLE employees (number ${type}, updated_at ${TIME[name]})`,
      `INSERT INTO employees VALUES ${values(references)}`,
    ]
  },
  'no records': (name) => [
    `CREATE TABLE employees (number VARCHAR(100), updated_at ${TIME[name]})`,
  ],
}

for (const { name, missing, open } of ENGINES) {
  const options = { ...PROCESS_TEST, skip: missing }
  for (const [title, createTable] of Object.entries(TABLES)) {
    const statements = createTable(name)
    if (statements === null) continue
    test(`${name}: the query of the guide agrees with the list: ${title}`, options, async (t) => {
      const database = await open(t)
      await database.run(...statements)
      await compare(name, database, { digits: 3, prefixes: [] })
      await compare(name, database, { digits: 1, prefixes: [] })
      const [first] = await query(name, database, LIST[name])
      const known = md5(String(first?.[0])).slice(0, 3)
      await compare(name, database, { digits: 3, prefixes: [known, known.slice(0, 2), 'f'] })
    })
  }

  const skip = missing || (isDeep ? false : 'it needs seconds')
  test(`${name}: a sum of more than 65,536 records is exact`, { ...options, skip }, async (t) => {
    const database = await open(t)
    const digits = 'SELECT 0 AS d'.concat(
      ...Array.from({ length: 9 }, (_, index) => ` UNION ALL SELECT ${index + 1}`),
    )
    const number = 'a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d'
    await database.run(
      `CREATE TABLE employees (number BIGINT, updated_at ${TIME[name]})`,
      `CREATE TABLE digits AS ${digits}`,
      `INSERT INTO employees SELECT ${number}, ${TIMES[0]}
        FROM digits a, digits b, digits c, digits e, digits f WHERE f.d < 8`,
    )
    // One bucket of all records: its sum is above 2^63.
    assert.equal(await compare(name, database, { digits: 0, prefixes: [] }), 80_000)
  })
}
