/** Searches the files, tables and output of a real hub for traces of erased records and removed platforms. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  ENGINES,
  type EngineSandbox,
  enginesForTier,
  LOCK_MS,
  type ProcessEngine,
  type QueryDatabase,
  sqlite,
} from '../helpers/process/engine.ts'
import {
  listRecords,
  pullAndWait,
  registerPlatform,
  sendRequest,
  signIn,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

const REFERENCE = 'person-of-the-erasure-4711'
const NAME = 'Ann Unmistakable Example'
const VALUE = 'a value that no other record has'
const TEXTS = [REFERENCE, NAME, VALUE]

for (const engine of ENGINES) {
  test(`no trace of an erased record is left in the storage and output of the hub (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { HUB_LOG_LEVEL: 'trace' } })
    const operator = await signIn(hub.address)
    const module = generateModule('person', 300)
    const person = { reference_number: REFERENCE, full_name: NAME, data: { note: VALUE } }
    module.records.splice(150, 0, JSON.stringify(person))
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    const { hub_api_key: hubApiKey, platform: registered } = await registerPlatform(
      operator,
      platform,
    )
    await pullAndWait(operator)

    // Creates history, rejected pushes and activity, and database pages that grow and shrink.
    const pusher = createPusher({ address: hub.address, hubApiKey })
    t.after(() => pusher.close())
    const push = (
      reference_number: string,
      data: Record<string, unknown>,
      record_type = 'person',
    ) => pusher.push({ method: 'PATCH', record_type, reference_number, data })
    for (let round = 0; round < 12; round += 1) {
      await push(REFERENCE, { note: `${VALUE} ${'x'.repeat(round * 900)}`, round })
      await push(`person-${round * 20}`, { note: 'y'.repeat(round * 1100) })
      await push(REFERENCE, { note: VALUE, round }, 'unknown')
    }
    await sendRequest(
      operator,
      'PUT',
      `/api/v1/platforms/${registered.id}/modules/person/indexed-fields`,
      {
        fields: ['note'],
      },
    )
    await until(async () => {
      const status: { lag: number } = JSON.parse(
        await sendRequest(operator, 'GET', '/api/v1/search/status'),
      )
      const found = await listRecords(operator, 'q=Unmistakable')
      return status.lag === 0 && found.length === 1 ? true : null
    }, 'the record is in the indexes')
    assert.ok((await findIn(engine, kit)).length > 0, 'the search finds stored texts')

    const records = await listRecords(operator)
    const id = records.find((record) => record.reference_number === REFERENCE)?.record_id
    await sendRequest(operator, 'POST', `/api/v1/records/${id}/erase`, { mode: 'erase' })
    assert.deepEqual(await findIn(engine, kit), [])

    await push(REFERENCE, { note: VALUE })
    await push(REFERENCE, { note: VALUE }, 'unknown')
    await pullAndWait(operator)
    assert.equal((await listRecords(operator)).length, 300)
    await hub.stop()
    const printed = [...hub.stdout, ...hub.stderr].join('\n')
    assert.deepEqual(await findIn(engine, kit), [])
    for (const text of TEXTS) assert.ok(!printed.includes(text), `${text} was printed`)
  })
}

for (const engine of enginesForTier(sqlite)) {
  test(`no trace of the records and rejected pushes of a removed platform is left (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    const operator = await signIn(hub.address)
    const module = generateModule('person', 300)
    const person = { reference_number: 'person-1000', full_name: NAME, data: { note: VALUE } }
    module.records.splice(150, 0, JSON.stringify(person))
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    const { hub_api_key: hubApiKey, platform: registered } = await registerPlatform(
      operator,
      platform,
    )
    await pullAndWait(operator)
    const pusher = createPusher({ address: hub.address, hubApiKey })
    t.after(() => pusher.close())
    const push = { method: 'PATCH', reference_number: 'person-1000' } as const
    await pusher.push({ ...push, record_type: 'person', data: { note: `${VALUE} too` } })
    await pusher.push({ ...push, record_type: 'unknown', data: { note: VALUE } })
    assert.ok((await findIn(engine, kit)).length > 0, 'the search finds stored texts')

    const path = `/api/v1/platforms/${registered.id}`
    await sendRequest(operator, 'DELETE', path, { platform_name: 'archive' })
    await until(
      async () => ((await findIn(engine, kit)).length === 0 ? true : null),
      'no trace is left',
    )
    await hub.stop()
    assert.deepEqual(await findIn(engine, kit), [])
  })
}

test('a restarted hub removes an erased record from the SQLite log left by a killed hub', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  const operator = await signIn(hub.address)
  const platform = await startPlatform(t, {
    name: 'archive',
    modules: [generateModule('person', 10)],
  })
  const { hub_api_key: hubApiKey } = await registerPlatform(operator, platform)
  const pusher = createPusher({ address: hub.address, hubApiKey })
  t.after(() => pusher.close())
  const push = { method: 'PATCH', record_type: 'person', reference_number: REFERENCE } as const
  await pusher.push({ ...push, data: { note: VALUE } })
  const id = (await listRecords(operator)).at(0)?.record_id

  // An open read transaction prevents the truncation of the write-ahead log.
  const reader = new DatabaseSync(join(kit.sandbox.folder, 'data', 'recordhub.sqlite'), {
    readOnly: true,
    timeout: LOCK_MS,
  })
  reader.exec('BEGIN')
  assert.equal(reader.prepare('SELECT count(*) AS n FROM records').get()?.['n'], 1)
  const erasing = operator.call('POST', `/api/v1/records/${id}/erase`, { mode: 'erase' })
  const interrupted = assert.rejects(erasing)
  await until(
    async () => ((await listRecords(operator)).length === 0 ? true : null),
    'the record is deleted',
  )
  await hub.stop('SIGKILL')
  await interrupted
  assert.notDeepEqual(findInFiles(kit), [])
  reader.close()

  await kit.sandbox.startHub()
  await until(async () => (findInFiles(kit).length === 0 ? true : null), 'no trace is left')
})

/** Returns the files of the data folder, or the tables, that contain any of the texts. */
async function findIn(engine: ProcessEngine, kit: EngineSandbox): Promise<string[]> {
  return engine.name === 'SQLite' ? findInFiles(kit) : findInTables(kit.queryDatabase)
}

function findInFiles({ sandbox }: EngineSandbox): string[] {
  const folder = join(sandbox.folder, 'data')
  return readdirSync(folder).filter((file) => {
    const bytes = readFileSync(join(folder, file))
    return TEXTS.some((text) => bytes.includes(text))
  })
}

async function findInTables(queryDatabase: QueryDatabase): Promise<string[]> {
  const tables = await queryDatabase(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const condition = TEXTS.map((text) => `strpos(t::text, '${text}') > 0`).join(' OR ')
    const [row] = await queryDatabase(`SELECT count(*)::int AS n FROM ${name} t WHERE ${condition}`)
    if (row?.['n'] !== 0) found.push(String(name))
  }
  return found
}
