/** Parses the code in the integration guide with the installed programs. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { GUIDE_LANGUAGES, isGuideLanguage } from '@recordhub/protocol/constants'
import { pushCommand } from '@recordhub/protocol/push-command'
import { PUSH_RETRY_RULES, PUSH_RETRY_SUMMARY } from '@recordhub/protocol/push-retry'
import { Client } from 'pg'
import { readGuide } from '../src/features/guide/fill-guide.ts'
import { readExample } from './examples/guide-files.ts'
import { createDatabase } from './helpers/postgres/database.ts'

const text = readGuide().join('\n')

function codeIn(language: string): string[] {
  return [...text.matchAll(/^\s*```(\w+)[^\n]*\n([\s\S]*?)\n\s*```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code)
}

function parse(program: string, parameters: string[], input: string): void {
  const { status, stderr } = spawnSync(program, parameters, { input, encoding: 'utf8' })
  assert.equal(status, 0, `${stderr}\n${input}`)
}

describe('the code in the integration guide', () => {
  test('exists in every language, for the endpoints and for the pushes', () => {
    for (const language of Object.values(GUIDE_LANGUAGES)) {
      assert.equal(text.split(`\n#### ${language}\n`).length - 1, 2, language)
    }
  })

  test('is valid JavaScript', () => {
    const examples = codeIn('js')
    assert.equal(examples.length, 5)
    for (const code of examples)
      parse(process.execPath, ['--input-type=module', '--check', '-'], code)
  })

  test('is valid shell script', () => {
    const examples = codeIn('sh')
    assert.ok(examples.length >= 4)
    for (const code of examples) parse('sh', ['-n'], code)
  })

  test('is valid JSON', () => {
    const examples = codeIn('json')
    assert.ok(examples.length > 8)
    for (const code of examples) JSON.parse(code)
  })

  test('is valid SQL whose ETags differ after each change', async () => {
    const [, postgresHash, , sqliteCounter, , postgresCounter] = codeIn('sql')
    assert.ok(postgresHash && sqliteCounter && postgresCounter)
    const changes = [
      "INSERT INTO employees VALUES ('E-1', '2026-03-10 08:00:00.000001')",
      "INSERT INTO employees VALUES ('E-2', '2026-03-10 08:00:00.000002')",
      // A late commit, and the same number of rows with the same times.
      "UPDATE employees SET updated_at = '2026-03-10 08:00:00' WHERE number = 'E-1'",
      "UPDATE employees SET number = 'E-3' WHERE number = 'E-1'",
      "DELETE FROM employees WHERE number = 'E-2'",
    ]
    const table = 'CREATE TABLE employees (number text, updated_at timestamp)'
    const readCounter = "SELECT version FROM hub_versions WHERE record_type = 'employee'"
    const sqlite = new DatabaseSync(':memory:')
    sqlite.exec(`${table};${sqliteCounter}`)
    const database = await createDatabase()
    const postgres = new Client({ connectionString: database.url })
    await postgres.connect()
    await postgres.query(`${table};${sqliteCounter.split('CREATE TRIGGER')[0]};${postgresCounter}`)
    const readTags = async () => {
      const ofPostgres = [postgresHash, readCounter].map(async (sql) => {
        const [row] = (await postgres.query({ text: sql, rowMode: 'array' })).rows
        return String(row)
      })
      return [
        String(Object(sqlite.prepare(readCounter).get()).version),
        ...(await Promise.all(ofPostgres)),
      ]
    }
    const tags = [await readTags()]
    for (const change of changes) {
      sqlite.exec(change)
      await postgres.query(change)
      tags.push(await readTags())
    }
    await postgres.end()
    await database.drop()
    for (const source of [0, 1, 2]) {
      const found = tags.map((one) => one[source] ?? '')
      assert.equal(new Set(found).size, changes.length + 1, String(found))
      for (const tag of found) assert.match(tag, /^[\w.-]+$/)
    }
  })

  test('is valid SQL that adds a push to the outbox, reads it and deletes it', () => {
    const statements = codeIn('sql').slice(-3)
    const database = new DatabaseSync(':memory:')
    for (const sql of statements.slice(0, 2)) database.exec(sql)
    const count = () => Object(database.prepare('SELECT count(*) AS count FROM hub_outbox').get())
    assert.equal(count().count, 1)
    database.exec(statements[2] ?? '')
    assert.equal(count().count, 0)
  })

  test('sends the header for tunnels with every call of curl', () => {
    const calls = codeIn('sh').flatMap((code) => code.match(/curl (?:[^\n]*\\\n)*[^\n]*/g) ?? [])
    assert.ok(calls.length >= 5)
    for (const call of calls) assert.match(call, /ngrok-skip-browser-warning: true/, call)
  })

  test('sends the same headers with a push in every language', () => {
    const command = pushCommand({
      ...{ hubUrl: '', tunnelHeader: 'ngrok-skip-browser-warning', hubApiKey: null },
      data: '@record.json',
    })
    const headers = [...command.matchAll(/-H ['"]([\w-]+): /g)].map(([, header = '']) => header)
    assert.equal(headers.length, 4)
    for (const language of Object.keys(GUIDE_LANGUAGES).filter(isGuideLanguage)) {
      // The kit has the headers in its code; Laravel has methods for the first two.
      if (language === 'kit') continue
      const { files } = readExample(text, language, 'Pushing changes')
      const code = [...files.values()].join('\n')
      const needed =
        language === 'laravel' ? ['acceptJson', 'asJson', ...headers.slice(2)] : headers
      for (const header of needed) {
        const isSet =
          code.includes(header) || (language === 'csharp' && code.includes('"application/json"'))
        assert.ok(isSet, `${language}: ${header}`)
      }
    }
  })

  test('stops retrying a push after exactly the statuses of the table, in every language', () => {
    const final = Object.entries(PUSH_RETRY_RULES).filter(([, { retry }]) => !retry)
    const expected = final.map(([status]) => status)
    for (const language of Object.keys(GUIDE_LANGUAGES).filter(isGuideLanguage)) {
      // The kit reads the table itself.
      if (language === 'kit') continue
      const { files } = readExample(text, language, 'Pushing changes')
      const code = [...files.values()].join('\n').replaceAll(/^ *(?:\/\/|#|--|\/?\*).*$/gm, '')
      assert.deepEqual(code.match(/\b4\d\d\b/g), expected, language)
    }
  })

  test('writes dates, Decimal and UUID as JSON in Python', (t) => {
    const script = `import datetime, decimal, uuid
from to_json import to_json
zone = datetime.timezone.utc
print(to_json([datetime.date(2026, 11, 21), datetime.datetime(2026, 11, 21, 7, 30, tzinfo=zone),
  decimal.Decimal("12.50"), uuid.UUID(int=0)]))`
    const cwd = new URL('../../../docs/platform-guide/examples/python/', import.meta.url)
    const { stdout, stderr, error } = spawnSync('python3', ['-B', '-c', script], {
      cwd,
      encoding: 'utf8',
    })
    if (error) return t.skip('Python is not installed (python3)')
    assert.deepEqual(JSON.parse(stdout || `"${stderr}"`), [
      '2026-11-21',
      '2026-11-21T07:30:00+00:00',
      '12.50',
      '00000000-0000-0000-0000-000000000000',
    ])
  })

  test('lists the same statuses without a retry as the table', () => {
    const found = text.match(/\b400, \d{3}(?:,\s+\d{3})*\s+and\s+\d{3}/g) ?? []
    assert.ok(found.length > 0)
    for (const list of found) {
      assert.ok(PUSH_RETRY_SUMMARY.startsWith(`After ${list.replaceAll(/\s+/g, ' ')},`), list)
    }
  })

  test('uses only headers and paths of the specification', () => {
    const headers = [...text.matchAll(/\bX-[A-Z-]+\b/g)].map(([header]) => header)
    assert.deepEqual([...new Set(headers)].toSorted(), ['X-API-KEY', 'X-PLATFORM-API-KEY'])
    const paths = [...text.matchAll(/hub\.example\.org(\/[\w/]+)/g)].map(([, path]) => path)
    assert.deepEqual([...new Set(paths)].toSorted(), [
      '/api/webhook/check',
      '/api/webhook/guide',
      '/api/webhook/receive',
      '/downloads/recordhub',
    ])
  })
})
