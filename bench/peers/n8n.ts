/** n8n: two published workflows that upsert rows into a table. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findFreePort } from '../../packages/server/test/helpers/process/free-port.ts'
import { createDatabase } from '../engines.ts'
import { cpuSeconds, peakMemory, withChildren } from '../processes.ts'
import { installPeer } from './install.ts'
import { createWorkflows, credentials } from './n8n-workflows.ts'
import { documentUrl, type PeerWork, type RequestPattern, type RunningPeer } from './peer.ts'
import { runProgram, startProgram } from './program.ts'

const VERSION = '2.41.1'
const READY_TIMEOUT_MS = 180_000
const TABLE = 'CREATE TABLE records (reference_number text PRIMARY KEY, full_name text, data jsonb)'

export async function startN8n(work: PeerWork): Promise<RunningPeer> {
  const cwd = await installPeer('n8n', VERSION)
  const database = await createDatabase('PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-n8n-'))
  const removeAll = async () => {
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const url = new URL(database.env['DATABASE_URL'] ?? '')
    await query(url, 'CREATE DATABASE measured')
    const measured = new URL('/measured', url)
    await query(measured, TABLE)
    const [port, brokerPort] = [await findFreePort(), await findFreePort()]
    const base = `http://127.0.0.1:${port}`
    const env = settings(port, brokerPort, url, folder)
    const program = { cwd, env, timeoutMs: READY_TIMEOUT_MS }
    const run = (...args: string[]) =>
      runProgram(process.execPath, ['node_modules/n8n/bin/n8n', ...args], program)
    const importFile = async (kind: string, content: unknown) => {
      const file = join(folder, `${kind}.json`)
      writeFileSync(file, JSON.stringify(content))
      await run(`import:${kind}`, `--input=${file}`)
    }
    await importFile('credentials', [credentials(measured)])
    const workflows = createWorkflows()
    await importFile('workflow', workflows)
    for (const { id } of workflows) await run('publish:workflow', `--id=${id}`)
    const server = await startProgram(process.execPath, ['node_modules/n8n/bin/n8n', 'start'], {
      ...program,
      readyUrl: `${base}/healthz/readiness`,
    })
    const upsert = (bodies: readonly string[]): RequestPattern => ({
      method: 'POST',
      path: '/webhook/receive',
      headers: { 'Content-Type': 'application/json' },
      bodies,
    })
    return {
      name: `n8n ${VERSION}`,
      port,
      create: upsert(work.creates),
      update: upsert(work.updates),
      async pull(platformPort) {
        const begun = performance.now()
        const response = await fetch(`${base}/webhook/pull`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ url: documentUrl(platformPort) }),
        })
        if (!response.ok) throw new Error(`n8n, pull: ${response.status} ${await response.text()}`)
        return (performance.now() - begun) / 1000
      },
      async countRecords() {
        const [row] = await query(measured, 'SELECT count(*) AS count FROM records')
        return Number(row?.['count'])
      },
      cpuSeconds: () => cpuSeconds([...withChildren(server.pid), ...database.pids()]),
      peakMemory: () => withChildren(server.pid).reduce((sum, pid) => sum + peakMemory(pid), 0),
      async stop() {
        await server.stop()
        await removeAll()
      },
    }
  } catch (error) {
    await removeAll()
    throw error
  }
}

async function query(url: URL, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function settings(port: number, brokerPort: number, url: URL, folder: string) {
  return {
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
    N8N_USER_FOLDER: folder,
    N8N_ENCRYPTION_KEY: 'the key of a measured n8n',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_COMMUNITY_PACKAGES_ENABLED: 'false',
    N8N_LOG_LEVEL: 'warn',
    // By default it stores the data of every execution, which takes more time.
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
    // By default each execution evaluates its expressions in a new isolate, which takes most of its time.
    N8N_EXPRESSION_ENGINE: 'legacy',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: url.hostname,
    DB_POSTGRESDB_PORT: url.port,
    DB_POSTGRESDB_DATABASE: url.pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(url.username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(url.password),
  }
}
