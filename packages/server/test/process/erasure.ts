import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { EngineSandbox, ProcessEngine, QueryDatabase } from '../helpers/process/engine.ts'
import type { Operator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import type { RunningHub } from '../helpers/process/sandbox.ts'

export const REFERENCE = 'person-of-the-erasure-4711'
export const NAME = 'Ann Unmistakable Example'
export const VALUE = 'a value that no other record has'
export const TEXTS = [REFERENCE, NAME, VALUE]

/** Returns the files of the data folder, or the tables, that contain any of the texts. */
export async function findIn(engine: ProcessEngine, kit: EngineSandbox): Promise<string[]> {
  return engine.name === 'SQLite' ? findInFiles(kit) : findInTables(kit.queryDatabase)
}

export function findInFiles({ sandbox }: EngineSandbox): string[] {
  const folder = join(sandbox.folder, 'data')
  return readdirSync(folder).filter((file) => {
    const bytes = readFileSync(join(folder, file))
    return TEXTS.some((text) => bytes.includes(text))
  })
}

export async function findInTables(queryDatabase: QueryDatabase): Promise<string[]> {
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

/** Pulls 300 records and one of a person whose texts occur nowhere else, and connects a pusher to the hub. */
export async function pullPerson(
  t: TestContext,
  { hub, operator, reference }: { hub: RunningHub; operator: Operator; reference: string },
) {
  const module = generateModule('person', 300)
  const person = { reference_number: reference, full_name: NAME, data: { note: VALUE } }
  module.records.splice(150, 0, JSON.stringify(person))
  const platform = await startPlatform(t, { name: 'archive', modules: [module] })
  const { hub_api_key: hubApiKey, platform: registered } = await operator.registerModules(platform)
  await operator.pullAll()
  const pusher = createPusher({ address: hub.address, hubApiKey })
  t.after(() => pusher.close())
  return { registered, pusher }
}
