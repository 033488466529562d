import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineSandbox, ProcessEngine, QueryDatabase } from '../helpers/process/engine.ts'

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
