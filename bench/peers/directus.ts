/** Directus: a collection with the reference number as its key, used through the items API, with its defaults. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../packages/server/test/helpers/process/free-port.ts'
import { createDatabase } from '../engines.ts'
import { cpuSeconds, peakMemory, withChildren } from '../processes.ts'
import { installPeer } from './install.ts'
import { documentUrl, type PeerWork, type RunningPeer } from './peer.ts'
import { runProgram, type Server, startProgram } from './program.ts'

const VERSION = '12.4.0'
const TOKEN = 'measured-directus'
const READY_TIMEOUT_MS = 120_000
/** Records per request in a pull, which is a program that reads the document and creates the records. */
const PULL_BATCH = 500

export async function startDirectus(work: PeerWork): Promise<RunningPeer> {
  const cwd = await installPeer('directus', VERSION)
  // Its compiled form is downloaded from elsewhere. Only the operation "Run Script" needs it.
  writeFileSync(join(cwd, 'node_modules/isolated-vm/isolated-vm.js'), 'module.exports = {}\n')
  const database = await createDatabase('PostgreSQL')
  let server: Server | null = null
  const stop = async () => {
    await server?.stop()
    await database.remove()
  }
  try {
    const port = await findFreePort()
    const base = `http://127.0.0.1:${port}`
    const program = {
      cwd,
      env: settings(port, database.env['DATABASE_URL'] ?? ''),
      timeoutMs: READY_TIMEOUT_MS,
    }
    const cli = 'node_modules/@directus/api/dist/cli/run.js'
    await runProgram(process.execPath, [cli, 'bootstrap'], program)
    const started = await startProgram(process.execPath, [cli, 'start'], {
      ...program,
      readyUrl: `${base}/server/ping`,
    })
    server = started
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${base}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`Directus, ${method} ${path}: ${response.status} ${text}`)
      return Object(text === '' ? null : JSON.parse(text))
    }
    await call('POST', '/collections', COLLECTION)
    return {
      name: `Directus ${VERSION}`,
      port,
      create: { method: 'POST', path: '/items/records', headers, bodies: work.creates.map(toItem) },
      update: {
        method: 'PATCH',
        path: '/items/records/PUSHED-{number}',
        headers,
        bodies: work.updates.map(toItem),
      },
      async pull(platformPort) {
        const begun = performance.now()
        const { records } = Object(await (await fetch(documentUrl(platformPort))).json())
        for (let at = 0; at < records.length; at += PULL_BATCH)
          await call('POST', '/items/records', records.slice(at, at + PULL_BATCH))
        return (performance.now() - begun) / 1000
      },
      async countRecords() {
        const { data } = await call('GET', '/items/records?aggregate[count]=*')
        return Number(data[0].count)
      },
      cpuSeconds: () => cpuSeconds([...withChildren(started.pid), ...database.pids()]),
      peakMemory: () => withChildren(started.pid).reduce((sum, pid) => sum + peakMemory(pid), 0),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function settings(port: number, url: string): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    SECRET: 'the secret of a measured Directus',
    ADMIN_EMAIL: 'bench@recordhub.org',
    ADMIN_PASSWORD: 'a person runs this',
    ADMIN_TOKEN: TOKEN,
    TELEMETRY: 'false',
    LOG_LEVEL: 'warn',
    MAX_PAYLOAD_SIZE: '20mb',
    // It would reject requests under load.
    PRESSURE_LIMITER_ENABLED: 'false',
  }
}

const COLLECTION = {
  collection: 'records',
  schema: {},
  meta: {},
  fields: [
    { field: 'reference_number', type: 'string', schema: { is_primary_key: true }, meta: {} },
    { field: 'full_name', type: 'string', schema: {}, meta: {} },
    { field: 'data', type: 'json', schema: {}, meta: {} },
  ],
}

function toItem(push: string): string {
  const { reference_number, full_name, data } = JSON.parse(push)
  return JSON.stringify({ reference_number, full_name, data })
}
