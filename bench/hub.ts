import { createServer, type RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createDatabase, type Engine } from './engines.ts'
import { type ServerProcess, startServer } from './processes.ts'

const OPERATOR = { email: 'bench@recordhub.example', password: 'recordhub-bench' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

export type BenchHub = {
  process: ServerProcess
  /** Calls the operator API. */
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
  /** Opens an answer that is no JSON, or too large to be held. */
  open: (path: string) => Promise<Response>
  stop: () => Promise<void>
}

/** A hub on a database of its own, which goes with it. It pulls only when told to. */
export async function startHub(engine: Engine): Promise<BenchHub> {
  const database = await createDatabase(engine)
  const hub = await startServer('../packages/server/src/main.ts', ['start'], {
    PORT: '0',
    HUB_ADMIN_EMAIL: OPERATOR.email,
    HUB_ADMIN_PASSWORD: OPERATOR.password,
    HUB_PULL_SCHEDULE: 'off',
    HUB_LOG_LEVEL: 'warn',
    ...database.env,
  })
  const base = `http://127.0.0.1:${hub.port}`
  const signedIn = await fetch(`${base}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(OPERATOR),
  })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const ask = await fetch(`${base}/api/v1/session`, { headers: { cookie } })
  const session: { csrf_token: string } = Object(await ask.json())
  return {
    process: hub,
    async call(method, path, body) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { ...JSON_TYPE, cookie, 'X-CSRF-TOKEN': session.csrf_token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return Object(await answer.json())
    },
    async open(path) {
      const headers = { cookie, 'Accept-Encoding': 'identity' }
      const answer = await fetch(`${base}${path}`, { headers })
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
      return answer
    },
    async stop() {
      await hub.stop()
      await database.remove()
    },
  }
}

const FIELDS = [
  ...['email', 'phone', 'department', 'job_title', 'salary', 'rating', 'active', 'address'],
  ...['left_on', 'updated_at'],
].map((key) => ({ key, label: key, type: 'string', required: false }))

export type BenchPlatform = { port: number; close: () => void }

/** A platform with the module `item`; `serveRecords` answers for its records. */
export async function startPlatform(serveRecords: RequestListener): Promise<BenchPlatform> {
  const about = { success: true, platform_name: 'bench', message: 'The platform is online.' }
  const manifest = {
    platform_title: 'Bench',
    platform_description: '',
    modules: [{ module_name: 'Items', record_type: 'item', description: '', fields: FIELDS }],
  }
  const server = createServer((request, response) => {
    if (request.url?.includes('/records/')) return serveRecords(request, response)
    const answer = request.url?.endsWith('/manifest') ? { ...about, ...manifest } : about
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('The platform does not listen')
  return {
    port: address.port,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** @returns the hub API key. */
export async function register(hub: BenchHub, platformPort: number): Promise<string> {
  const { hub_api_key } = await hub.call('POST', '/api/v1/platforms', {
    source_base_url: `http://127.0.0.1:${platformPort}`,
    source_api_key: 'bench',
    record_types: ['item'],
  })
  return String(hub_api_key)
}

/** One whole pull. @returns the seconds from its start to its end, as the hub tells them. */
export async function pullOnce(hub: BenchHub): Promise<number> {
  const { pull: queued } = await hub.call('POST', '/api/v1/pulls')
  const { id }: { id: number } = Object(queued)
  for (;;) {
    await pause(200)
    const { pull: current } = await hub.call('GET', `/api/v1/pulls/${id}`)
    const { state, started_at, finished_at }: Record<string, string> = Object(current)
    if (!finished_at || !started_at) continue
    if (state !== 'succeeded') throw new Error(`The pull ended ${state}`)
    return (Date.parse(finished_at) - Date.parse(started_at)) / 1000
  }
}
