/** Sends raw bytes to a hub over a socket, and reads the stored data. */
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { runSql } from '../storage/sql.ts'
import { guardMs } from '../time/guard.ts'

/** How long the hub must send nothing after the last expected response; a closed connection ends the wait. */
const SILENCE_MS = 150
const TIMEOUT_MS = guardMs(60_000)

/**
 * Sends bytes unchanged, and returns all received bytes when the hub has closed the connection or stopped sending.
 * @param minimumResponses the number of responses to wait for.
 * @param end ends the stream after the bytes, so that the hub does not wait for more of them.
 */
export function sendRaw(
  address: string,
  bytes: string | Buffer,
  minimumResponses = 1,
  { end = false } = {},
): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const chunks: Buffer[] = []
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const statuses = parseStatuses(Buffer.concat(chunks).toString('latin1'))
      if (statuses.length >= minimumResponses) socket.setTimeout(SILENCE_MS)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    if (end) socket.end(bytes)
    else socket.write(bytes)
  })
}

/** The statuses of all responses, without informational ones. */
export function parseStatuses(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.1 ([2-5]\d\d) /gm)].map((match) => Number(match[1]))
}

/** A digest of each table by name, to detect changes. */
export async function digestTables(storage: Storage): Promise<Record<string, string>> {
  const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
  const tables = await readTables(storage)
  return Object.fromEntries([...tables].map(([name, text]) => [name, digestOf(text)]))
}

/** All stored data as text, by table. */
export async function readTables(storage: Storage): Promise<Map<string, string>> {
  const { engine } = await storage.readEngine()
  const names = await runSql(
    storage,
    engine === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const tables = new Map<string, string>()
  for (const name of names.map((row) => String(row['name'])).toSorted()) {
    const rows = await runSql(storage, `SELECT * FROM "${name}"`)
    const lines = rows.map((row) => JSON.stringify(row, printable)).toSorted()
    tables.set(name, lines.join('\n'))
  }
  return tables
}

function printable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
