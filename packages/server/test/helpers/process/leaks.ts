/** Searches the output, storage and responses of a hub for secrets. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineSandbox, ProcessEngine } from './engine.ts'

export type Secrets = Readonly<Record<string, string>>

/** The forms in which a secret could leak: unchanged, encoded, reversed, and with its halves swapped. */
function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret)
  const half = Math.ceil(secret.length / 2)
  return {
    clear: secret,
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
    'url-encoded': encodeURIComponent(secret),
    'JSON of its bytes': JSON.stringify([...bytes]).slice(1, -1),
    'halves swapped': secret.slice(half) + secret.slice(0, half),
    reversed: [...secret].reverse().join(''),
  }
}

/** The secrets that the sources contain, each with its form and its source. */
export function findLeaks(secrets: Secrets, sources: ReadonlyMap<string, Buffer>): string[] {
  const found: string[] = []
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [form, text] of Object.entries(formsOf(secret))) {
      for (const [source, bytes] of sources) {
        if (bytes.includes(text)) found.push(`${name}, ${form}, in ${source}`)
      }
    }
  }
  return found
}

/** All stored data: the files of the data folder except the secret file, or all tables of the database. */
export async function readStoredData(
  { name }: ProcessEngine,
  { sandbox, queryDatabase }: EngineSandbox,
): Promise<Map<string, Buffer>> {
  const sources = new Map<string, Buffer>()
  if (name === 'SQLite') {
    const folder = join(sandbox.folder, 'data')
    for (const file of readdirSync(folder)) {
      if (file !== 'recordhub.secret') sources.set(file, readFileSync(join(folder, file)))
    }
    return sources
  }
  const tables = await queryDatabase(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  for (const table of tables.map((row) => String(row['name']))) {
    const rows = await queryDatabase(`SELECT t::text AS line FROM ${table} t`)
    sources.set(table, Buffer.from(rows.map((row) => String(row['line'])).join('\n')))
  }
  return sources
}
