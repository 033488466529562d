/**
 * Writes the fixture of the current schema: `node packages/server/test/upgrade/create-fixture.ts`. It runs a hub on each
 * engine, with a PostgreSQL server of its own, and calls it as platforms and operators do. Run it once before a release
 * that contains a new migration, and commit the result; existing fixtures are never changed.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../src/storage/sqlite/migrations/index.ts'
import { createDatabase } from '../helpers/postgres/database.ts'
import { createPostgresSandbox, type EngineSandbox, sqlite } from '../helpers/process/engine.ts'
import {
  type Operator,
  pullAndWait,
  readSnapshot,
  registerPlatform,
  sendRequest,
  signIn,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { type Push, pushOnce } from '../helpers/process/push.ts'
import { untilTrue } from '../helpers/time/until.ts'
import {
  dumpSqlite,
  FIXTURE_SECRET,
  type FixtureEngine,
  type FixtureState,
  fixtureFolder,
  readState,
} from './fixture.ts'

type Cleanup = { after: (work: () => unknown) => void; run: () => Promise<void> }

function createCleanup(): Cleanup {
  const works: (() => unknown)[] = []
  return {
    after: (work) => void works.push(work),
    async run() {
      for (const work of works.splice(0).reverse()) await work()
    },
  }
}

const schema = Object.keys(migrations).at(-1) ?? ''
const folder = fixtureFolder(schema)
if (existsSync(folder))
  throw new Error(`${folder} exists: the fixture of a schema is never changed`)
mkdirSync(folder, { recursive: true })
for (const engine of ['sqlite', 'postgres'] as const) await createFixture(engine)
// The server of PostgreSQL ends with the process.
process.exitCode = 0

async function createFixture(engine: FixtureEngine): Promise<void> {
  const t = createCleanup()
  const database = engine === 'postgres' ? await createDatabase() : null
  const kit = database ? createPostgresSandbox(t, database.url) : await sqlite.createSandbox(t)
  try {
    const expected = await runHub(t, kit)
    const dump = database
      ? dumpPostgres(database.url)
      : dumpSqlite(join(kit.sandbox.folder, 'data', 'recordhub.sqlite'))
    writeFileSync(`${folder}${engine}.sql`, dump)
    writeFileSync(`${folder}${engine}.json`, `${JSON.stringify(expected, null, 1)}\n`)
  } finally {
    await t.run()
  }
}

/** The tables of the hub. The queue of pg-boss is created anew by the hub. */
function dumpPostgres(url: string): string {
  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges']
  return execFileSync('pg_dump', [...options, '--exclude-schema=pgboss', url], { encoding: 'utf8' })
}

/** Does with a hub whatever leaves rows in its tables. */
async function runHub(t: Cleanup, kit: EngineSandbox): Promise<FixtureState> {
  const hub = await kit.sandbox.startHub({ env: { HUB_SECRET: FIXTURE_SECRET } })
  const operator = await signIn(hub.address)
  const person = generateModule('person', 12)
  const file = generateModule('file', 4)
  const archive = await startPlatform(t, { name: 'archive', modules: [person, file] })
  const { hub_api_key: hubApiKey } = await registerPlatform(operator, archive)
  const unreachable = createCleanup()
  const clinic = await startPlatform(unreachable, {
    name: 'clinic',
    modules: [generateModule('patient', 2)],
  })
  await registerPlatform(operator, clinic)
  await pullAndWait(operator)

  const push = (
    method: Push['method'],
    reference_number: string,
    data: Push['data'],
    type = 'person',
  ) =>
    pushOnce(
      { address: hub.address, hubApiKey },
      { method, reference_number, record_type: type, data },
    )
  await push('POST', 'pushed-1', { number: 1, note: 'Ä "quoted" \u{1F600} 王' })
  await push('POST', 'pushed-1', { number: 2, note: null })
  await push('PATCH', 'pushed-1', { note: 'patched' })
  await push('PATCH', 'incomplete-1', { note: 'only a part' })
  await push('POST', 'drifting-1', { number: 3, note: 'n', unknown: [1, { a: 2.5 }] })
  await push('POST', 'rejected-1', { number: 4 }, 'unregistered')
  await push('POST', 'erased-1', { number: 5, note: 'to be erased' })
  await push('POST', 'anonymised-1', { number: 6, note: 'to be anonymised' })

  person.records.splice(3, 1)
  person.records[0] = JSON.stringify({
    ...{ reference_number: 'person-0', full_name: 'Changed Name' },
    data: { number: 100, note: 'changed' },
  })
  await unreachable.run()
  for (let pull = 0; pull < 6; pull++) await pullAndWait(operator)
  await operate(operator)
  await untilTrue(
    'the alert about the unreachable platform is raised',
    async () => (await readSnapshot(operator)).alerts.open > 0,
  )
  const token = await createTokenOf(kit)
  const keys = { hub_api_key: hubApiKey, token }
  const state = await readState(operator, kit.queryDatabase)
  await hub.stop()
  return { keys, state }
}

async function createTokenOf({ sandbox }: EngineSandbox): Promise<string> {
  const { stdout } = await sandbox.run(['token', 'create', '--name', 'fixture', '--role', 'viewer'])
  const token = /rht_\w+/.exec(stdout.join('\n'))?.[0]
  if (token === undefined) throw new Error('No token was created')
  return token
}

async function operate(operator: Operator): Promise<void> {
  const send = (method: string, path: string, body?: unknown) =>
    sendRequest(operator, method, `/api/v1/${path}`, body)
  const find = async (reference: string): Promise<number> => {
    const { records }: { records: { record_id: number; reference_number: string }[] } = JSON.parse(
      await send('GET', 'records?limit=100'),
    )
    const found = records.find((record) => record.reference_number === reference)
    if (!found) throw new Error(`There is no record ${reference}`)
    return found.record_id
  }
  await send('POST', `records/${await find('erased-1')}/erase`, { mode: 'erase', reason: 'test' })
  await send('POST', `records/${await find('anonymised-1')}/erase`, { mode: 'anonymise' })
  await send('PUT', 'platforms/1/modules/person/indexed-fields', { fields: ['number'] })
  await send('POST', 'views', { name: 'Everyone', query: 'q=a&sort=full_name', shared: true })
  await send('POST', 'invitations', { email: 'new@example.org', role: 'viewer' })
  await send('PATCH', 'schedule', { paused: true })
}
