import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Pull } from '@recordhub/protocol'
import {
  createOperator,
  fetchFrom,
  type HubRequest,
  signInWith,
  withHeaders,
} from '../packages/server/test/helpers/operator.ts'
import { type BenchDatabase, createDatabase, type Engine } from './engines.ts'
import { currentLauncher, currentProgram } from './machine.ts'
import { recordTypes } from './platforms.ts'
import { cpuSeconds, type ServerProcess, startServer } from './processes.ts'

export const OPERATOR = { email: 'bench@recordhub.example', password: 'a person runs this' }
const POLL_MS = 100

export type BenchHub = {
  process: ServerProcess
  /** Processor seconds of the hub and of its database server. */
  cpuSeconds: () => number
  /** The session of the operator. */
  cookie: string
  /** Calls the operator API. */
  call: (
    method: HubRequest['method'] & string,
    path: string,
    body?: unknown,
  ) => Promise<Record<string, unknown>>
  /** Opens a response that is not JSON, or too large for memory. */
  open: (path: string) => Promise<Response>
  stop: () => Promise<void>
}

/** Starts a hub on its own database, which is deleted with it. It has no schedule. */
export async function startHub(
  engine: Engine,
  settings: Record<string, string> = {},
): Promise<BenchHub> {
  const database = await createDatabase(engine)
  return signIn(await startHubProcess(database, settings), database)
}

/** Starts a hub, which creates its operator if it has none. */
export function startHubProcess(
  database: BenchDatabase,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  return startServer(
    currentProgram().path,
    ['start'],
    {
      PORT: '0',
      HUB_ADMIN_EMAIL: OPERATOR.email,
      HUB_ADMIN_PASSWORD: OPERATOR.password,
      HUB_PULL_SCHEDULE: 'off',
      HUB_API_RATE_LIMIT: '0',
      HUB_LOG_LEVEL: 'warn',
      // As the launcher of the package.
      ...{ MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-semi-space-size=8`,
      ...database.env,
      ...settings,
    },
    currentLauncher(),
  )
}

const MAIN = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))

/** Runs a command of `recordhub` on the database of a hub. @returns what it prints. */
export async function runCommand(
  { env }: BenchDatabase,
  ...command: readonly string[]
): Promise<string> {
  const options = { env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...command], options)
  return stdout
}

/** Signs the operator in. */
export async function signIn(hub: ServerProcess, database: BenchDatabase): Promise<BenchHub> {
  const base = `http://127.0.0.1:${hub.port}`
  const { cookie, headers } = await signInWith(fetchFrom(base), OPERATOR)
  const operator = createOperator(withHeaders(fetchFrom(base), () => headers))
  return {
    process: hub,
    cookie,
    cpuSeconds: () => cpuSeconds([hub.pid, ...database.pids()]),
    call: async (...request) => Object(JSON.parse(await operator.request(...request))),
    async open(path) {
      const headers = { cookie, 'Accept-Encoding': 'identity' }
      const response = await fetch(`${base}${path}`, { headers })
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
      return response
    },
    async stop() {
      await hub.stop()
      await database.remove()
    },
  }
}

/**
 * Registers a platform of a server (`platforms.ts`) with the given modules.
 * @returns its id and its hub API key.
 */
export async function register(
  hub: BenchHub,
  { port, name = 'bench-1', modules = 1 }: { port: number; name?: string; modules?: number },
): Promise<{ id: number; key: string }> {
  const { platform, hub_api_key } = await hub.call('POST', '/api/v1/platforms', {
    source_base_url: `http://127.0.0.1:${port}/${name}`,
    source_api_key: 'bench',
    record_types: recordTypes(modules),
  })
  return { id: Object(platform).id, key: String(hub_api_key) }
}

/** Starts a pull of all platforms, or of the given one, and returns its id. */
export async function startPull(
  hub: BenchHub,
  only?: { platformId: number; recordTypes: string[] },
): Promise<number> {
  const path = only ? `/api/v1/platforms/${only.platformId}/pull` : '/api/v1/pulls'
  const body = only && { record_types: only.recordTypes }
  const { pull } = await hub.call('POST', path, body)
  return Object(pull).id
}

export async function readPull(hub: BenchHub, id: number): Promise<Pull> {
  const { pull } = await hub.call('GET', `/api/v1/pulls/${id}`)
  return Object(pull)
}

/** Waits for the end of a pull, which must be `succeeded`, and runs a function once per interval meanwhile. */
export async function waitForPull(
  hub: BenchHub,
  id: number,
  meanwhile: () => Promise<void> = async () => undefined,
  intervalMs = POLL_MS,
): Promise<Pull & { seconds: number }> {
  for (;;) {
    await sleep(intervalMs)
    await meanwhile()
    const pull = await readPull(hub, id)
    const { state, started_at, finished_at } = pull
    if (!finished_at || !started_at) continue
    if (state !== 'succeeded') throw new Error(`The pull ended ${state}`)
    return { ...pull, seconds: (Date.parse(finished_at) - Date.parse(started_at)) / 1000 }
  }
}
