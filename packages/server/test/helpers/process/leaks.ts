/** Searches the output, storage and responses of a hub for secrets. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineSandbox, ProcessEngine } from './engine.ts'

export type Secrets = Readonly<Record<string, string>>

/** The forms in which a secret could leak: itself, encoded, and its halves swapped. */
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
    'halves turned': secret.slice(half) + secret.slice(0, half),
    reversed: [...secret].reverse().join(''),
  }
}

/** The secrets in the bytes, each with its form and position. */
export function findLeaks(secrets: Secrets, places: ReadonlyMap<string, Buffer>): string[] {
  const found: string[] = []
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [form, text] of Object.entries(formsOf(secret))) {
      for (const [place, bytes] of places) {
        if (bytes.includes(text)) found.push(`${name}, ${form}, in ${place}`)
      }
    }
  }
  return found
}

/** Everything stored: the files of the data folder except the secret file, or all tables of the database. */
export async function readStored(
  { name }: ProcessEngine,
  { sandbox, askDatabase }: EngineSandbox,
): Promise<Map<string, Buffer>> {
  const places = new Map<string, Buffer>()
  if (name === 'SQLite') {
    const folder = join(sandbox.folder, 'data')
    for (const file of readdirSync(folder)) {
      if (file !== 'recordhub.secret') places.set(file, readFileSync(join(folder, file)))
    }
    return places
  }
  const tables = await askDatabase(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  for (const table of tables.map((row) => String(row['name']))) {
    const rows = await askDatabase(`SELECT t::text AS line FROM ${table} t`)
    places.set(table, Buffer.from(rows.map((row) => String(row['line'])).join('\n')))
  }
  return places
}
