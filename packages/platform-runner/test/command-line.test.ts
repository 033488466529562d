/** The command line: init, check, and output without secrets. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { parseArguments, UsageError } from '../src/commands/arguments.ts'
import { ENGINES_OF_TIER } from './helpers/engines.ts'
import { createRunnerSandbox, SOURCE_API_KEY } from './helpers/runner.ts'

test('the command line prints its usage and rejects invalid arguments', PROCESS_TEST, async (t) => {
  const { run } = createRunnerSandbox(t)
  const help = await run(['--help'])
  assert.equal(help.code, 0)
  for (const word of ['serve', 'init', 'check', '--config', '--port'])
    assert.ok(help.stdout.includes(word))
  const unknown = await run(['nonsense'])
  assert.deepEqual([unknown.code, unknown.stderr.trimEnd().split('\n').length], [2, 1])
  for (const args of [['--nonsense'], ['--port', 'x'], ['check', 'this']]) {
    assert.throws(() => parseArguments(args), { constructor: UsageError, message: /^.+$/ })
  }
  const { code, stderr } = await run([])
  assert.equal(code, 2)
  assert.match(stderr, /platform\.yaml does not exist; recordhub-platform init creates it/)
})

test(
  'each setting that does not match the data is reported in one line',
  PROCESS_TEST,
  async (t) => {
    const { run, write, folder } = createRunnerSandbox(t)
    new DatabaseSync(join(folder, 'a.sqlite')).exec('CREATE TABLE a (id, day DATE)')
    write(
      'platform.yaml',
      `platform: { name: x, source_key: "\${SOURCE_API_KEY}" }
source: { database: "sqlite:a.sqlite" }
modules:
  - { record_type: a, table: a, reference: nr, full_name: "{id} {x}", updated_at: day,
      search: [y], leave_out: [z] }
  - { record_type: b, table: b, reference: id, full_name: id }
`,
    )
    const { code, stderr } = await run(['check'])
    assert.equal(code, 2)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'platform.yaml:5: modules[0].leave_out: there is no column "z"; its columns are id, day.',
      'platform.yaml:4: modules[0].reference: there is no column "nr"; its columns are id, day.',
      'platform.yaml:4: modules[0].full_name: there is no column "x"; its columns are id, day.',
      'platform.yaml:5: modules[0].search: there is no column "y"; its columns are id, day.',
      'platform.yaml:4: modules[0].updated_at: "day" contains only the date.',
      'platform.yaml:6: modules[1].table: SQLite: no such table: b.',
    ])
  },
)

for (const engine of ENGINES_OF_TIER) {
  test(`${engine.name}: init, check and serve set up a platform from an existing database`, {
    ...PROCESS_TEST,
    skip: engine.missing,
  }, async (t) => {
    const { run, start, folder } = createRunnerSandbox(t)
    const database = await engine.open(t)
    await database.run(
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, first_name VARCHAR(20) NOT NULL, last_name VARCHAR(20), password_hash VARCHAR(9), picture ${engine.name === 'PostgreSQL' ? 'BYTEA' : 'BLOB'}, updated_at ${engine.name === 'SQLite' ? 'DATETIME' : 'TIMESTAMP'} NULL)`,
      'CREATE TABLE loose (note VARCHAR(20))',
      "INSERT INTO customers (id, first_name) VALUES (1, 'Ann'), (2, 'Bob')",
    )
    const secret =
      engine.name === 'SQLite' ? 'no secret at all' : new URL(database.address).password
    const init = await run(['init'], { DATABASE_URL: database.address, SOURCE_API_KEY: '' })
    assert.equal(init.code, 0, init.stderr)
    const [text, env] = ['platform.yaml', '.env'].map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    )
    assert.match(text ?? '', /full_name: "\{first_name\} \{last_name\}"/)
    assert.match(text ?? '', /leave_out: \[password_hash\]/)
    assert.match(text ?? '', /updated_at: updated_at/)
    assert.match(env ?? '', /^SOURCE_API_KEY=[\w-]{32}$/m)
    assert.equal(statSync(join(folder, '.env')).mode & 0o077, 0)
    assert.match(init.stdout, /platform\.yaml contains 1 module of .*, and 1 without a reference/)
    const again = await run(['init', '--from', database.address])
    assert.deepEqual([again.code, readFileSync(join(folder, 'platform.yaml'), 'utf8')], [0, text])
    assert.match(again.stdout, /Nothing was changed/)

    const check = await run(['check'])
    assert.equal(check.code, 0, check.stderr)
    assert.match(check.stdout, /left out: picture, \w+ is binary/i)
    assert.match(check.stdout, /left out: password_hash, listed in leave_out/)
    assert.match(check.stdout, / serves 1 module from /)
    assert.match(check.stdout, /\n {2}2 records\n/)
    assert.doesNotMatch(check.stdout, /loose/)
    await database.run('CREATE TABLE orders (id INTEGER PRIMARY KEY, article VARCHAR(20))')
    const merge = await run(['init'])
    assert.equal(merge.code, 0, merge.stderr)
    assert.match(merge.stdout, /platform\.yaml contains 1 new module of /)
    assert.match((await run(['check'])).stdout, / serves 2 modules from .*\norders: Orders\n/s)
    const platform = await start()
    assert.equal((await platform.get('records/customers')).status, 200)
    for (const output of [init, again, check]) {
      assert.ok(!`${output.stdout}${output.stderr}${text}`.includes(secret))
    }
  })
}

test('init escapes unusual names so that they are read back unchanged', PROCESS_TEST, async (t) => {
  const { run, folder } = createRunnerSandbox(t)
  const names = [
    'null',
    'a: b # c',
    `\${HOME}`,
    '{x}',
    '- "q" \'r\'',
    'two\nlines',
    '&anchor',
    '2024-01-01',
  ]
  const database = new DatabaseSync(join(folder, 'odd.sqlite'))
  for (const name of names) {
    const quoted = `"${name.replaceAll('"', '""')}"`
    database.exec(`CREATE TABLE ${quoted} (id INTEGER PRIMARY KEY, ${quoted} TEXT)`)
  }
  database.close()
  assert.equal((await run(['init', '--from', 'odd.sqlite'])).code, 0)
  const check = await run(['check'])
  assert.equal(check.code, 0, check.stderr)
  for (const name of names) assert.ok(check.stdout.includes(`\n${name}: `), name)
})

test(
  'init creates a module for each readable file of a folder, and writes its encoding',
  PROCESS_TEST,
  async (t) => {
    const { run, write, folder } = createRunnerSandbox(t)
    const data = join(folder, 'data')
    mkdirSync(data)
    // The first letter that is not ASCII is far from the beginning.
    const rows = Array.from({ length: 20_000 }, (_, id) => `${id};name ${id}\r\n`).join('')
    const old = `sep=;\r\nid;name\r\n${rows}20000;Zo\xeb 5 \x80\r\n`
    writeFileSync(join(data, 'old.csv'), Buffer.from(old, 'latin1'))
    const wide = Buffer.from('\uFEFFid,name\r\n1,Zoë\r\n', 'utf16le')
    writeFileSync(join(data, 'wide.csv'), wide)
    write('data/people.csv', 'id,name\n1,Zoë\n')
    write('data/people.ndjson', '{"id":1}\n')
    write('data/true.ndjson', '{"reference":"a","x: #":1}\n')
    write('data/numbered.csv', ',who\n0,Ann\n')
    write('data/empty.csv', '')
    write('data/package.json', '{"name":"x"}')
    write('data/README.md', 'nothing')
    const init = await run(['init', '--from', 'data'])
    assert.equal(init.code, 0, init.stderr)
    for (const line of [
      /^empty is left out: .*the first line must contain the column names\.$/m,
      /^package is left out: .*does not contain an array of objects\.$/m,
      /old\.csv is not in UTF-8; its encoding is probably windows-1252\./,
    ]) {
      assert.match(init.stdout, line)
    }
    const settings = readFileSync(join(folder, 'platform.yaml'), 'utf8')
    assert.deepEqual(settings.match(/(?<=file: )\S+|(?<=encoding: )\S+/g), [
      'numbered.csv',
      ...['old.csv', 'windows-1252'],
      ...['people.csv', 'people.ndjson', 'true.ndjson'],
      ...['wide.csv', 'utf-16le'],
    ])
    const check = await run(['check'])
    assert.equal(check.code, 0, check.stderr)
    assert.match(
      check.stdout,
      /serves 6 modules.*\nnumbered: .*\nold: .*\n {2}20001 records\n.*\npeople_csv: .*\npeople_ndjson: /s,
    )
    assert.ok(!existsSync(join(data, '.env')))
  },
)

test(
  'an invalid source key is rejected, empty titles get defaults and unnamed columns are left out',
  PROCESS_TEST,
  async (t) => {
    const { run, write, start } = createRunnerSandbox(t)
    const settings = (key: string) => `platform: { name: x, title: "", source_key: "${key}" }
source: { folder: . }
modules: [{ record_type: a, name: "", file: a.csv, reference: id, full_name: id }]
`
    write('a.csv', 'id;name;;\n1;Ann;;\n')
    write('platform.yaml', settings('a key with a snowman ☃'))
    const { code, stderr } = await run(['check'])
    assert.deepEqual(
      [code, stderr],
      [2, 'The source key of x must be printable ASCII without leading or trailing spaces.\n'],
    )
    write('platform.yaml', settings(SOURCE_API_KEY))
    const check = await run(['check'])
    assert.match(check.stdout, /^x \(x\) serves/)
    assert.match(check.stdout, /\na: A\n.*left out: a column, it has no name\n/s)
    const records = await (await start()).get('records/a')
    const { module_name, records: list } = Object(await records.json())
    const { version, ...record } = list[0]
    assert.equal(typeof version, 'string')
    assert.deepEqual(
      [module_name, list.length, record],
      ['A', 1, { reference_number: '1', full_name: '1', data: { id: '1', name: 'Ann' } }],
    )
  },
)

test('check ends without an error when the reader of its output ends', PROCESS_TEST, async (t) => {
  const { runWithoutReader, write } = createRunnerSandbox(t)
  write('people.csv', 'id,name\n1,Ann\n')
  write(
    'platform.yaml',
    `platform: { name: x, source_key: "\${SOURCE_API_KEY}" }
source: { folder: . }
modules: [{ record_type: people, file: people.csv, reference: id, full_name: name }]
`,
  )
  assert.deepEqual(await runWithoutReader(['check']), { code: 0, stdout: '', stderr: '' })
})

test(
  'check reports missing and duplicate references, and values that do not match their type',
  PROCESS_TEST,
  async (t) => {
    const { run, write } = createRunnerSandbox(t)
    const rows = ['1,"1,5",1990-01-31,yes', '2,2,31.01.1990,1', '3,x,,', '1,1,,', ',1,,']
    write('people.csv', `id,amount,born,done\n${rows.join('\n')}\n`)
    write(
      'platform.yaml',
      `platform: { name: x, source_key: "\${SOURCE_API_KEY}" }
source: { folder: . }
modules:
  - record_type: people
    file: people.csv
    reference: id
    full_name: id
    fields: { id: { type: number }, amount: { type: number }, born: { type: date }, done: { type: boolean } }
`,
    )
    const { stdout, code } = await run(['check'])
    assert.equal(code, 0)
    assert.deepEqual(
      stdout.split('\n').filter((line) => /readable|Warning/.test(line)),
      [
        '  Warning: 1 row without a reference left out',
        '  Warning: 1 record with the reference of another record: the hub keeps the first',
        '  id: every value is readable as number; one that is not would be sent unchanged',
        '  Warning: amount: 2 values not readable as number, sent unchanged; the first is in record 1',
        '  Warning: born: 1 value not readable as date, sent unchanged; the first is in record 2',
        '  Warning: done: 1 value not readable as boolean, sent unchanged; the first is in record 1',
      ],
    )
    // Values of records may be personal, and reports of check are passed on.
    assert.ok(!/31\.01\.1990/.test(stdout) && !stdout.includes(SOURCE_API_KEY))
  },
)

test('a file outside of the folder is not served', PROCESS_TEST, async (t) => {
  const { run, write, folder } = createRunnerSandbox(t)
  mkdirSync(join(folder, 'data'))
  write('other.csv', 'id\n1\n')
  write(
    'platform.yaml',
    `platform: { name: x, source_key: "\${SOURCE_API_KEY}" }
source: { folder: data }
modules: [{ record_type: a, file: ../other.csv, reference: id, full_name: id }]
`,
  )
  const { stderr, code } = await run(['check'])
  assert.equal(code, 2)
  assert.match(stderr, /^platform\.yaml:3: modules\[0\]\.file: \.\.\/other\.csv is not in /)
})
