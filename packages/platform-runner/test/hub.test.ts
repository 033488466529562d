/** A hub registers and pulls a platform served by recordhub-platform, and stores exactly the source data. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { signIn } from '../../server/test/helpers/process/operator.ts'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { rounds } from '../../server/test/helpers/time/tier.ts'
import { ENGINES_OF_TIER, type OwnersEngine } from './helpers/engines.ts'
import { deactivateAfter, sharedHub } from './helpers/hub.ts'
import { createRunnerSandbox, type RunningPlatform, SOURCE_API_KEY } from './helpers/runner.ts'

async function registerAt(t: TestContext, { address }: RunningPlatform, recordTypes: string[]) {
  const operator = await signIn(sharedHub().address)
  const registration = {
    source_base_url: address,
    record_types: recordTypes,
    source_api_key: SOURCE_API_KEY,
  }
  const { platform } = await operator.registerModules(registration)
  deactivateAfter(t, operator, platform.id)
  return operator
}

const PEOPLE = rounds(121, 1234)

function makePeople({ name }: OwnersEngine): string[] {
  const time = name === 'SQLite' ? 'DATETIME' : 'TIMESTAMP'
  const text =
    name === 'MariaDB' ? (word: string) => word.replaceAll('\\', '\\\\') : (word: string) => word
  const rows = Array.from({ length: PEOPLE }, (_, index) => {
    const first = index % 7 ? `'Zoë "${index}" \\ 🏛'` : 'NULL'
    return `(${index}, ${text(first)}, 'O''Neil', 9007199254740993, 1.10, '2026-01-01 00:00:00', 'x')`
  })
  return [
    `CREATE TABLE people (id INTEGER PRIMARY KEY, first_name VARCHAR(50), last_name VARCHAR(50) NOT NULL,
      big ${name === 'SQLite' ? 'INTEGER' : 'BIGINT'}, exact DECIMAL(10,2), updated_at ${time} NULL, secret VARCHAR(9))`,
    `INSERT INTO people VALUES ${rows.join()}`,
  ]
}

const SETTINGS = `
platform: { name: "\${PLATFORM}", title: The registry, source_key: "\${SOURCE_API_KEY}" }
source: { database: "\${DATABASE_URL}" }
modules:
  - record_type: people
    name: People
    table: people
    reference: P-{id}
    full_name: "{first_name} {last_name}"
    leave_out: [secret]
    search: [first_name, last_name]
    updated_at: updated_at
    fields:
      big: { label: Large number }
`

for (const engine of ENGINES_OF_TIER) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: a hub pulls exactly the data of the database, and searches have no other effect`,
    options,
    async (t) => {
      const sandbox = createRunnerSandbox(t)
      const database = await engine.open(t)
      await database.run(...makePeople(engine))
      const name = engine.name.toLowerCase()
      sandbox.write('platform.yaml', SETTINGS)
      const platform = await sandbox.start({ DATABASE_URL: database.address, PLATFORM: name })
      const operator = await registerAt(t, platform, ['people'])

      const [registered] = await operator.modules(name)
      assert.deepEqual(
        registered?.fields.map(({ key, label, type, required }) => [key, label, type, required]),
        [
          ['id', 'ID', 'number', true],
          ['first_name', 'First name', 'string', false],
          ['last_name', 'Last name', 'string', true],
          ['big', 'Large number', 'number', false],
          ['exact', 'Exact', 'number', false],
          ['updated_at', 'Updated at', 'datetime', false],
        ],
      )
      const { tasks } = await operator.pullAll()
      const [task] = tasks
      assert.deepEqual(
        [task?.state, task?.total, task?.created, task?.rejected, task?.warnings],
        ['succeeded', PEOPLE, PEOPLE, 0, []],
      )
      const records = await operator.findRecords(`platform=${name}&sort=record_id`)
      assert.equal(records.length, PEOPLE)
      const [empty, first] = records
      assert.deepEqual([empty?.reference_number, empty?.full_name], ['P-0', "O'Neil"])
      assert.equal(empty?.data['first_name'], null)
      assert.equal(first?.full_name, `Zoë "1" \\ 🏛 O'Neil`)
      const [page = ''] = await Array.fromAsync(
        operator.recordPages(`platform=${name}&reference_number=P-1`),
      )
      const zone = engine.name === 'SQLite' ? '' : engine.name === 'MariaDB' ? 'Z' : ''
      const exact = engine.name === 'SQLite' ? '1.1' : '1.10'
      assert.ok(
        page.includes(
          `"data":{"id":1,"first_name":"Zoë \\"1\\" \\\\ 🏛","last_name":"O'Neil","big":9007199254740993,"exact":${exact},"updated_at":"2026-01-01T00:00:00${zone}"}`,
        ),
        page,
      )
      // Nothing has changed, so only the digest is transferred.
      const again = (await operator.pullAll()).tasks[0]
      assert.deepEqual([again?.mode, again?.received, again?.missing], ['digest', 0, 0])
      await platform.logs(/GET \/api\/hub\/records\/people\/digest 200 /)

      await database.run(
        'DELETE FROM people WHERE id = 5',
        "UPDATE people SET last_name = 'Neu', updated_at = '2026-01-02 00:00:00' WHERE id = 6",
      )
      const third = (await operator.pullAll()).tasks[0]
      assert.deepEqual([third?.updated, third?.missing, third?.created], [1, 1, 0])

      type Found = { records: { reference_number: string; record_type: string }[] }
      const search = async (query: string): Promise<Found> =>
        Object(await (await platform.get(`search?query=${encodeURIComponent(query)}`)).json())
      assert.deepEqual(
        (await search(`zoë "${PEOPLE - 1}"`)).records.map((one) => [
          one.record_type,
          one.reference_number,
        ]),
        [['people', `P-${PEOPLE - 1}`]],
      )
      assert.equal((await search("o'neil")).records.length, 100)
      assert.equal((await search("' OR ''='")).records.length, 0)
      assert.equal((await search('')).records.length, 0)
      assert.equal((await search('\0')).records.length, 0)
      // Columns in leave_out are not searched.
      assert.equal((await search('x')).records.length, 0)
      assert.equal((await fetch(`${platform.address}/api/hub/search?query=a`)).status, 401)
      assert.doesNotMatch(platform.log(), new RegExp(SOURCE_API_KEY))
      assert.equal(await platform.stop(), 0)
    },
  )
}

test('files: a hub pulls exactly the data of the files', PROCESS_TEST, async (t) => {
  const sandbox = createRunnerSandbox(t)
  sandbox.write(
    'people.csv',
    '\uFEFFnumber;name;note;amount\r\n007;"O\'Neil; Bob";"two\r\nlines";1.10\r\n008;Zoë 🏛;;12\r\n;nobody;;\r\n',
  )
  sandbox.write(
    'events.ndjson',
    '{"id":1,"name":"One","at":"2026-01-01","n":9007199254740993,"tags":["a"]}\n\n{"id":"2","name":null,"yes":true}\n',
  )
  sandbox.write('things.json', '\uFEFF[{"key":"a","name":"Thing","price":1.10}]')
  sandbox.write(
    'platform.yaml',
    `
platform: { name: files, source_key: "\${SOURCE_API_KEY}" }
source: { folder: . }
modules:
  - { record_type: people, file: people.csv, reference: number, full_name: name, search: [name], fields: { amount: { type: number } } }
  - { record_type: events, file: events.ndjson, reference: id, full_name: name }
  - { record_type: things, file: things.json, reference: key, full_name: name }
`,
  )
  const platform = await sandbox.start()
  const operator = await registerAt(t, platform, ['people', 'events', 'things'])
  const { tasks } = await operator.pullAll()
  assert.deepEqual(
    tasks.map(({ state, rejected }) => [state, rejected]),
    [
      ['succeeded', 0],
      ['succeeded', 0],
      ['succeeded', 0],
    ],
  )
  const texts = async (type: string) => {
    const [page = ''] = await Array.fromAsync(
      operator.recordPages(`platform=files&record_type=${type}&sort=record_id`),
    )
    return [
      ...page.matchAll(
        /"reference_number":("[^"]*"),"full_name":("(?:[^"\\]|\\.)*"),"data":(\{.*?\}),"incomplete"/g,
      ),
    ].map(([, ...parts]) => parts.join(' '))
  }
  assert.deepEqual(await texts('people'), [
    `"007" "O'Neil; Bob" {"number":"007","name":"O'Neil; Bob","note":"two\\r\\nlines","amount":1.10}`,
    '"008" "Zoë 🏛" {"number":"008","name":"Zoë 🏛","note":null,"amount":12}',
  ])
  assert.deepEqual(await texts('events'), [
    '"1" "One" {"id":1,"name":"One","at":"2026-01-01","n":9007199254740993,"tags":["a"],"yes":null}',
    '"2" "" {"id":"2","name":null,"at":null,"n":null,"tags":null,"yes":true}',
  ])
  assert.deepEqual(await texts('things'), ['"a" "Thing" {"key":"a","name":"Thing","price":1.10}'])
  await platform.logs(/people: 1 row without a reference left out/)
  const found = await (await platform.get('search?query=bob')).text()
  assert.match(found, /"reference_number":"007"/)
  await operator.pullAll()
  await platform.logs(/(?:records\/\w+\/digest 200[\s\S]*){3}/)
  // A file with a syntax error must not count as a complete pull.
  sandbox.write(
    'events.ndjson',
    `{"id":1,"name":"One"}\n${'{"id":3,"name":"x"}\n'.repeat(5000)}{"id":4,\n`,
  )
  const broken = (await operator.pullAll({ mode: 'full' })).tasks.find(
    (one) => one.record_type === 'events',
  )
  assert.deepEqual([broken?.state, broken?.missing], ['failed', 0])
  await platform.logs(/events.ndjson:5002 is not valid JSON/)
  rmSync(join(sandbox.folder, 'people.csv'))
  const away = await platform.get('records/people')
  assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '5'])
  assert.equal((await platform.get('manifest')).status, 200)
})
