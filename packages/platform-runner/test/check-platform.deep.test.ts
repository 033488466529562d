/** The hub's check-platform command validates the responses and pushes of the runner. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SPEED_RULES } from '../../server/test/helpers/platform/conformance-check.ts'
import { createSandbox, PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { ENGINES } from './helpers/engines.ts'
import { createRunnerSandbox, SOURCE_API_KEY } from './helpers/runner.ts'

const SETTINGS = `
platform: { name: registry, source_key: "\${SOURCE_API_KEY}" }
source: { database: "\${DATABASE_URL}" }
modules:
  - { record_type: people, name: People, table: people, reference: id, full_name: name, updated_at: updated_at }
`
const PUSH = `push: { hub_url: "\${HUB_URL}", hub_api_key: "\${HUB_API_KEY}", every_seconds: 0.2, overlap_seconds: 2 }
`
const NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')"

test('the runner passes check-platform, including its pushes', PROCESS_TEST, async (t) => {
  const sqlite = ENGINES.find(({ name }) => name === 'SQLite')
  assert.ok(sqlite)
  const sandbox = createRunnerSandbox(t)
  const database = await sqlite.open(t)
  await database.run(
    'CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(50), updated_at DATETIME NULL)',
    "INSERT INTO people VALUES (1, 'One', '2026-01-01 00:00:00'), (2, 'Two', '2026-01-02 00:00:00')",
  )
  sandbox.write('platform.yaml', SETTINGS)
  const env = { DATABASE_URL: database.address }
  const serving = await sandbox.start(env)
  const { spawn } = createSandbox(t)
  const check = spawn([
    'check-platform',
    '--url',
    serving.address,
    '--key',
    SOURCE_API_KEY,
    '--push',
    '--port',
    '0',
    '--json',
  ])
  const receiver = () => /Address +(\S+)[\s\S]*Hub API key +(\S+)/.exec(check.stderr.join('\n'))
  while (!receiver()) await once(check.child.stderr ?? check.child, 'data')
  const [, hub = '', key = ''] = receiver() ?? []
  await serving.stop()
  sandbox.write('platform.yaml', SETTINGS + PUSH)
  const pushing = await sandbox.start({ ...env, HUB_URL: hub, HUB_API_KEY: key })
  await pushing.logs(/people: watching/)
  const waitForPush = async (id: number, result: RegExp) => {
    const hasResult = () =>
      check.stderr.some((line) => line.includes(`POST people ${id}:`) && result.test(line))
    while (!hasResult()) await once(check.child.stderr ?? check.child, 'data')
  }
  for (const id of [3, 4, 5, 6]) {
    await database.run(`INSERT INTO people VALUES (${id}, 'Number ${id}', ${NOW})`)
    await waitForPush(id, /: 201$/)
  }
  await database.run(`INSERT INTO people VALUES (7, 'Rejected', ${NOW})`)
  await waitForPush(7, /on purpose \(rejected\)/)
  assert.deepEqual(await check.stop('SIGINT'), { code: 0, signal: null })
  const report = JSON.parse(check.stdout.join('\n'))
  const findings: { rule: string; severity: string }[] = report.endpoints.flatMap(
    (one: { findings: [] }) => one.findings,
  )
  const serious = findings.filter(
    ({ rule, severity }) => severity !== 'note' && !SPEED_RULES.includes(rule),
  )
  assert.deepEqual(serious, [])
  const pushes = report.endpoints.at(-1)
  for (const pattern of [/503 with Retry-After/, /connection was closed/]) {
    assert.ok(
      pushes.passed.some((one: string) => pattern.test(one)),
      String(pattern),
    )
  }
})
