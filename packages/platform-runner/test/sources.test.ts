/** Database sources on real databases: exact values, unusual names and SQL injection. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { until } from '../../server/test/helpers/time/until.ts'
import { toJson } from '../src/records/kind.ts'
import { parseSource } from '../src/settings/read-settings.ts'
import type { Origin } from '../src/settings/settings.ts'
import { openSource } from '../src/sources/open-source.ts'
import {
  type Column,
  type Source,
  SourceMisconfigured,
  SourceUnavailable,
} from '../src/sources/source.ts'
import { ENGINES, type OwnersDatabase } from './helpers/engines.ts'

const table = (name: string): Origin => ({ kind: 'table', table: name })

async function openOn({ address }: OwnersDatabase): Promise<Source> {
  const settings = parseSource(address, '/')
  assert.ok(settings)
  return openSource(settings)
}

async function readAll(source: Source, origin: Origin, columns?: Column[]) {
  const all = columns ?? (await source.describe(origin))
  const { signal } = new AbortController()
  const sent = all.filter(({ kind }) => kind !== 'binary')
  const rows = await Array.fromAsync(source.rows({ origin, columns: sent, find: null, signal }))
  return rows.map((row) =>
    Object.fromEntries(
      sent.map((column, index) => [column.name, toJson(row[index] ?? null, column.kind)]),
    ),
  )
}

async function find(source: Source, origin: Origin, text: string, names: string[]) {
  const columns = await source.describe(origin)
  const among = columns.filter(({ name }) => names.includes(name))
  const { signal } = new AbortController()
  const request = { origin, columns, find: { text, columns: among, limit: 100 }, signal }
  return (await Array.fromAsync(source.rows(request))).map((row) => String(row[0]))
}

for (const engine of ENGINES) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  const odd = engine.name === 'MariaDB' ? '`we``ird "name"; --`' : `"we\`ird ""name""; --"`
  const oddName = engine.name === 'MariaDB' ? 'we`ird "name"; --' : 'we`ird "name"; --'

  test(
    `${engine.name}: table and column names with special characters are quoted`,
    options,
    async (t) => {
      const database = await engine.open(t)
      await database.run(
        `CREATE TABLE ${odd} (id INTEGER PRIMARY KEY, ${odd} VARCHAR(50))`,
        `INSERT INTO ${odd} VALUES (1, 'Zoë 🏛 \u2028')`,
      )
      const source = await openOn(database)
      const [candidate] = await source.candidates()
      assert.deepEqual(candidate?.origin, table(oddName))
      assert.deepEqual(candidate?.key, ['id'])
      assert.deepEqual(await readAll(source, table(oddName)), [
        { id: 1, [oddName]: 'Zoë 🏛 \u2028' },
      ])
      assert.deepEqual(await find(source, table(oddName), 'zoë', [oddName]), ['1'])
    },
  )

  test(
    `${engine.name}: a table name can contain a dot, and a broken view is a configuration error`,
    options,
    async (t) => {
      const database = await engine.open(t)
      const quote = (name: string) => (engine.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
      await database.run(
        `CREATE TABLE ${quote('a.b')} (id INTEGER PRIMARY KEY)`,
        `INSERT INTO ${quote('a.b')} VALUES (7)`,
      )
      const source = await openOn(database)
      const [candidate] = await source.candidates()
      assert.deepEqual([candidate?.name, candidate?.key], ['a.b', ['id']])
      assert.ok(candidate)
      assert.deepEqual(await readAll(source, candidate.origin), [{ id: 7 }])
      // PostgreSQL does not drop a table that a view uses.
      if (engine.name === 'PostgreSQL') return
      await database.run(
        `CREATE VIEW broken AS SELECT * FROM ${quote('a.b')}`,
        `DROP TABLE ${quote('a.b')}`,
      )
      await assert.rejects(source.describe(table('broken')), SourceMisconfigured)
    },
  )

  test(
    `${engine.name}: a search text is never treated as a pattern or as SQL`,
    options,
    async (t) => {
      const database = await engine.open(t)
      const escaped = engine.name === 'MariaDB' ? 'back\\\\slash' : 'back\\slash'
      await database.run(
        'CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(80), number INTEGER)',
        `INSERT INTO people VALUES (1, 'Bob O''Neil', 700), (2, '100% sure', 8), (3, 'a_b!c', 9), (4, '${escaped}', 1)`,
      )
      const source = await openOn(database)
      const search = (text: string) => find(source, table('people'), text, ['name', 'number'])
      assert.deepEqual(await search("o'neil"), ['1'])
      assert.deepEqual(await search('%'), ['2'])
      assert.deepEqual(await search('_'), ['3'])
      assert.deepEqual(await search('!'), ['3'])
      assert.deepEqual(await search('\\'), ['4'])
      assert.deepEqual(await search('70'), ['1'])
      for (const attack of [
        "' OR 1=1 --",
        "'; DROP TABLE people; --",
        '"`\\',
        '?',
        '$1',
        '@recordhub_1',
        "\\' OR 1=1 -- ",
      ]) {
        assert.deepEqual(await search(attack), [], attack)
      }
      assert.equal((await readAll(source, table('people'))).length, 4)
    },
  )

  test(
    `${engine.name}: a query can contain question marks and comments, and cannot write`,
    options,
    async (t) => {
      const database = await engine.open(t)
      await database.run(
        'CREATE TABLE notes (id INTEGER PRIMARY KEY, note VARCHAR(80))',
        "INSERT INTO notes VALUES (1, 'what?'), (2, '$1')",
      )
      const source = await openOn(database)
      const query =
        "SELECT id, note FROM notes WHERE note IN ('what?', '$1', '@recordhub_1') ; -- the end"
      const origin: Origin = { kind: 'query', query: query.replace('; -- the end', '-- the end') }
      assert.deepEqual(await readAll(source, origin), [
        { id: 1, note: 'what?' },
        { id: 2, note: '$1' },
      ])
      assert.deepEqual(await find(source, origin, "?' OR 1=1 -- ", ['note']), [])
      assert.deepEqual(await find(source, origin, 'T?', ['note']), ['1'])
      const writing: Origin = { kind: 'query', query: 'DELETE FROM notes' }
      await assert.rejects(source.describe(writing), SourceMisconfigured)
      assert.equal((await readAll(source, table('notes'))).length, 2)
    },
  )

  test(
    `${engine.name}: a missing table is a configuration error, an unreachable database is unavailable`,
    options,
    async (t) => {
      const database = await engine.open(t)
      await database.run('CREATE TABLE one (id INTEGER)')
      const source = await openOn(database)
      await assert.rejects(source.describe(table('two')), SourceMisconfigured)
      const elsewhere =
        engine.name === 'SQLite'
          ? `${database.address}-gone`
          : database.address.replace(/:\d+\//, ':1/')
      await assert.rejects(
        (await openOn({ ...database, address: elsewhere })).describe(table('one')),
        SourceUnavailable,
      )
    },
  )

  test(`${engine.name}: an aborted read releases its connection`, options, async (t) => {
    const database = await engine.open(t)
    await database.run(
      'CREATE TABLE one (id INTEGER)',
      `INSERT INTO one VALUES ${'(1),'.repeat(5000)}(2)`,
    )
    const source = await openOn(database)
    const columns = await source.describe(table('one'))
    const stop = new AbortController()
    for await (const _ of source.rows({
      origin: table('one'),
      columns,
      find: null,
      signal: stop.signal,
    }))
      break
    const rows = source.rows({ origin: table('one'), columns, find: null, signal: stop.signal })
    await rows[Symbol.asyncIterator]().next()
    stop.abort()
    // DROP TABLE would wait for an open read.
    await database.run('DROP TABLE one')
  })

  test(
    `${engine.name}: changes are read in order, page by page, including equal timestamps`,
    options,
    async (t) => {
      const database = await engine.open(t)
      const type = engine.name === 'SQLite' ? 'TEXT' : 'TIMESTAMP'
      const values = Array.from({ length: 25 }, (_, index) => {
        const second = String(Math.floor(index / 10)).padStart(2, '0')
        return `('k${index}''"\\\\x', '2026-01-01 00:00:${second}')`
      })
      await database.run(
        `CREATE TABLE changing (id VARCHAR(20), at ${type})`,
        `INSERT INTO changing VALUES ${values.join()}`,
      )
      const source = await openOn(database)
      const columns = await source.describe(table('changing'))
      const [id, at] = columns
      const reader = source.changes
      assert.ok(id && at && reader)
      const read = async (after: string | null) => {
        const found: string[] = []
        let from = null
        for (;;) {
          const rows = await reader.read({
            origin: table('changing'),
            columns,
            updatedAt: at,
            key: [id],
            after,
            from,
            limit: 4,
          })
          found.push(...rows.map(({ cells }) => String(cells[0])))
          const last = rows.at(-1)
          if (!last) return found
          from = { changeTime: last.changeTime, key: last.key }
        }
      }
      const everything = await read(null)
      assert.equal(new Set(everything).size, 25)
      assert.equal(everything.length, 25)
      const newest = await reader.newest(table('changing'), at)
      assert.deepEqual(await read(newest), [])
      const [first] = await reader.read({
        origin: table('changing'),
        columns,
        updatedAt: at,
        key: [id],
        after: null,
        from: null,
        limit: 1,
      })
      assert.equal((await read(first?.changeTime ?? '')).length, 15)
    },
  )

  test(
    `${engine.name}: a timestamp in the future does not hide current changes`,
    options,
    async (t) => {
      const database = await engine.open(t)
      const type =
        engine.name === 'SQLite' ? 'TEXT' : engine.name === 'MariaDB' ? 'DATETIME' : 'TIMESTAMP'
      await database.run(
        `CREATE TABLE changing (id INTEGER, at ${type})`,
        `INSERT INTO changing VALUES (1, '2037-01-01 00:00:00'), (2, '2026-01-01 00:00:00')`,
      )
      const source = await openOn(database)
      const [, at] = await source.describe(table('changing'))
      assert.ok(at)
      assert.match(
        (await source.changes?.newest(table('changing'), at)) ?? '',
        /2026-01-01 00:00:00/,
      )
    },
  )

  test(
    `${engine.name}: the version differs after every insert, timestamp update and delete`,
    options,
    async (t) => {
      const database = await engine.open(t)
      const type = engine.name === 'SQLite' ? 'TEXT' : 'TIMESTAMP'
      await database.run(
        `CREATE TABLE changing (id INTEGER, at ${type})`,
        `INSERT INTO changing VALUES (1, '2026-01-01 00:00:00'), (2, '2026-01-02 00:00:00')`,
      )
      const source = await openOn(database)
      const [id, at] = await source.describe(table('changing'))
      assert.ok(id && at)
      const columns = { updatedAt: at, key: [id] }
      const versions = new Set<string | null>()
      const runAndAddVersion = async (statement: string) => {
        await database.run(statement)
        versions.add(await source.version(table('changing'), columns))
      }
      await runAndAddVersion('SELECT 1')
      await runAndAddVersion('SELECT 1')
      assert.equal(versions.size, 1)
      await runAndAddVersion("INSERT INTO changing VALUES (3, '2026-01-01 12:00:00')")
      // Older than the newest row, as in a late commit.
      await runAndAddVersion("UPDATE changing SET at = '2026-01-01 13:00:00' WHERE id = 3")
      await runAndAddVersion('DELETE FROM changing WHERE id = 1')
      assert.equal(versions.size, 4)
      // The same number of rows with the same times.
      await runAndAddVersion('UPDATE changing SET id = 4 WHERE id = 3')
      assert.equal(versions.size, 5)
    },
  )
}

const [postgres, mariadb, sqlite] = ENGINES

for (const engine of [postgres, mariadb]) {
  const sleep = engine?.name === 'MariaDB' ? 'SLEEP(600)' : 'pg_sleep(600)'
  test(`${engine?.name}: aborting cancels a slow query`, {
    ...PROCESS_TEST,
    skip: engine?.missing ?? false,
  }, async (t) => {
    const database = await engine?.open(t)
    assert.ok(database)
    const source = await openOn(database)
    const origin: Origin = { kind: 'query', query: `SELECT ${sleep} AS a` }
    const columns: Column[] = [
      { name: 'a', kind: 'text', type: 'text', comment: null, required: false },
    ]
    const stop = new AbortController()
    const next = source
      .rows({ origin, columns, find: null, signal: stop.signal })
      [Symbol.asyncIterator]()
      .next()
    // Waits until the database runs the query.
    await until(async () => {
      const isMariadb = engine?.name === 'MariaDB'
      const among = isMariadb
        ? "information_schema.PROCESSLIST WHERE INFO LIKE '%(600)%' AND ID <> CONNECTION_ID()"
        : "pg_stat_activity WHERE state = 'active' AND query LIKE 'FETCH%' AND pid <> pg_backend_pid()"
      const running: Origin = { kind: 'query', query: `SELECT 1 AS a FROM ${among}` }
      return (await readAll(source, running, columns)).length > 0 ? true : null
    }, 'the query runs')
    stop.abort()
    await assert.rejects(next)
  })
}

test('PostgreSQL: values of every type are read exactly', async (t) => {
  const database = await postgres?.open(t)
  assert.ok(database)
  await database.run(
    `CREATE TYPE colour AS ENUM ('red'); CREATE TYPE pair AS (a int, b text); CREATE DOMAIN amount AS numeric;
    CREATE TABLE types (big bigint, exact numeric, made amount, double float8, yes boolean, day date, local timestamp,
      at timestamptz, doc json, docb jsonb, tags text[], two pair, bytes bytea, id uuid, how colour, lasts interval,
      text text, nothing text)`,
    `INSERT INTO types VALUES (9007199254740993, 1.10, 0.50, 1e300, true, '2024-02-29', '2024-01-02 03:04:05.12',
      '2024-01-02 03:04:05.123456+02', '{"b":1.10,  "a\\u0041\\"":9007199254740993}', '{"x":[1e2,null]}', '{a,"b \\"c",NULL}', '(1,x)',
      '\\x00ff', '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b', 'red', '1 day 2 hours', 'Zoë 🏛 \u0001 \\ " ''', NULL)`,
    `INSERT INTO types (exact, double, at, doc) VALUES ('NaN', '-Infinity', 'infinity', '{"__proto__": 1}')`,
    `COMMENT ON COLUMN types.day IS 'Day of it'`,
  )
  const source = await openOn(database)
  const columns = await source.describe(table('types'))
  assert.equal(columns.find(({ name }) => name === 'day')?.comment, 'Day of it')
  assert.equal(columns.find(({ name }) => name === 'bytes')?.kind, 'binary')
  const [row, other] = await readAll(source, table('types'), columns)
  assert.equal(
    JSON.stringify(row),
    `{"big":9007199254740993,"exact":1.10,"made":0.50,"double":1e+300,"yes":true,"day":"2024-02-29","local":"2024-01-02T03:04:05.12","at":"2024-01-02T01:04:05.123456Z","doc":{"b":1.10,"aA\\"":9007199254740993},"docb":{"x":[100,null]},"tags":["a","b \\"c",null],"two":{"a":1,"b":"x"},"id":"6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b","how":"red","lasts":"P1DT2H","text":"Zoë 🏛 \\u0001 \\\\ \\" '","nothing":null}`,
  )
  assert.deepEqual(
    [other?.['exact'], other?.['double'], other?.['at'], other?.['doc']],
    ['NaN', '-Infinity', 'infinity', '{"__proto__": 1}'],
  )
})

test('MariaDB: values of every type are read exactly', {
  skip: mariadb?.missing ?? false,
}, async (t) => {
  const database = await mariadb?.open(t)
  assert.ok(database)
  await database.run(
    `CREATE TABLE types (big BIGINT UNSIGNED NOT NULL COMMENT 'Large number', exact DECIMAL(30,10), dbl DOUBLE, yes TINYINT(1), bits BIT(9),
      day DATE, loc DATETIME(3), at TIMESTAMP(6) NULL, zero DATETIME, doc JSON, bytes BLOB, bin BINARY(2), txt TEXT, latin VARCHAR(20) CHARACTER SET latin1, how ENUM('red'), y YEAR, nothing TEXT)`,
    `SET time_zone = '+02:00'`,
    `SET sql_mode = ''`,
    `INSERT INTO types VALUES (18446744073709551615, 1.10, 1e300, 1, b'100000001', '2024-02-29', '2024-01-02 03:04:05.12',
      '2024-01-02 03:04:05.123456', '0000-00-00', '{"b":1.10,"ä":9007199254740993}', x'00ff', x'0001', 'Zoë 🏛 \\\\ '' "', 'Zoë', 'red', 2024, NULL)`,
  )
  const source = await openOn(database)
  const columns = await source.describe(table('types'))
  assert.deepEqual(columns[0], {
    ...{ name: 'big', kind: 'number', type: 'bigint(20) unsigned' },
    ...{ comment: 'Large number', required: true },
  })
  assert.deepEqual(
    columns.filter(({ kind }) => kind === 'binary').map(({ name }) => name),
    ['bytes', 'bin'],
  )
  const [row] = await readAll(source, table('types'), columns)
  assert.equal(
    JSON.stringify(row),
    `{"big":18446744073709551615,"exact":1.1000000000,"dbl":1e300,"yes":true,"bits":257,"day":"2024-02-29","loc":"2024-01-02T03:04:05.120","at":"2024-01-02T01:04:05.123456Z","zero":null,"doc":{"b":1.10,"ä":9007199254740993},"txt":"Zoë 🏛 \\\\ ' \\"","latin":"Zoë","how":"red","y":2024,"nothing":null}`,
  )
})

test('SQLite: values of every type are read exactly', async (t) => {
  const database = await sqlite?.open(t)
  assert.ok(database)
  await database.run(
    `CREATE TABLE types (big INTEGER NOT NULL, dbl REAL, exact NUMERIC, yes BOOLEAN, at DATETIME, doc JSON, bytes BLOB, txt TEXT, any_, nil TEXT)`,
    `INSERT INTO types VALUES (9223372036854775807, 1.5, '12345678901234567890.5', 1, '2024-01-02 03:04:05', '{"b":1.10}', x'00ff', 'Zoë 🏛' || char(8232), x'01', NULL)`,
    `INSERT INTO types VALUES (-0, 9e999, 'many', 2, 1700000000, 'no json', NULL, 7, 7, NULL)`,
  )
  const source = await openOn(database)
  const columns = await source.describe(table('types'))
  assert.equal(columns[0]?.required, true)
  const rows = await readAll(source, table('types'), columns)
  assert.deepEqual(
    rows.map((row) => JSON.stringify(row)),
    [
      `{"big":9223372036854775807,"dbl":1.5,"exact":12345678901234567000,"yes":true,"at":"2024-01-02T03:04:05","doc":{"b":1.10},"txt":"Zoë 🏛\u2028","any_":null,"nil":null}`,
      `{"big":0,"dbl":"Infinity","exact":"many","yes":2,"at":1700000000,"doc":"no json","txt":"7","any_":7,"nil":null}`,
    ],
  )
})
