/** The load of a soak test: platforms, pushes, and operators who use the dashboard, at a constant rate. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type BenchHub, OPERATOR, register } from './hub.ts'
import { MUSEUM_FIELDS, museumRecord } from './museum-record.ts'
import { createPlatforms, type ModuleRef } from './platforms.ts'
import { RECORD_DATA } from './records-data.ts'

/** The platforms by what they respond; all receive pulls every minute. */
export const PULLED = ['changing-1', 'changing-2', 'omitting-1', 'failing-1', 'aborting-1']
const PUSHING = ['changing-1', 'changing-2', 'failing-1', 'pushing-1']
const PULLED_RECORDS = 500
/** Each platform pushes to these records in turn, so that the number of records is constant. */
const PUSHED_RECORDS = 1000
const PUSHES_PER_SECOND = 15
const SEARCHES = ['ka', 'object 0001', 'romin telva', 'nowhere', 'bronze']
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The platforms, whose records depend on the minute. */
export function createSoakPlatforms() {
  return createPlatforms(1, MUSEUM_FIELDS, (module, response) => {
    const minute = Math.floor(Date.now() / 60_000)
    if (module.platform_name.startsWith('failing')) {
      response.writeHead(503).end()
      return
    }
    const head = JSON.stringify({ success: true, ...module, total: PULLED_RECORDS }).slice(0, -1)
    response.writeHead(200, JSON_TYPE)
    response.write(`${head},"records":[`)
    sendRecords(module, minute, response)
  })
}

function sendRecords({ platform_name }: ModuleRef, minute: number, response: ServerResponse) {
  const isOmitting = platform_name.startsWith('omitting') && minute % 2 === 0
  const records = Array.from({ length: PULLED_RECORDS }, (_, number) => {
    // A tenth of the records changes each minute.
    const hasChanged = number % 10 === minute % 10
    const record = museumRecord(number)
    return hasChanged ? record.replace('"copyright":null', `"copyright":"${minute}"`) : record
  }).slice(isOmitting ? 5 : 0)
  if (platform_name.startsWith('aborting')) {
    const half = records.slice(0, PULLED_RECORDS / 2).join(',')
    response.write(`${half},`, () => response.destroy())
  } else response.end(`${records.join(',')}]}`)
}

export type SoakLoad = {
  /** The number of responses of each kind of request by status, such as `push 201`. */
  counts: ReadonlyMap<string, number>
  /** Returns the latencies of acknowledged pushes since the last call, in milliseconds. */
  takeLatencies: () => number[]
  stop: () => Promise<void>
}

/** Starts the load, which stops at the end of the current requests. */
export async function startSoakLoad(hub: BenchHub, platformsPort: number): Promise<SoakLoad> {
  const base = `http://127.0.0.1:${hub.process.port}`
  const stopping = new AbortController()
  const counts = new Map<string, number>()
  let latencies: number[] = []
  const count = (kind: string, status: number | string) =>
    counts.set(`${kind} ${status}`, (counts.get(`${kind} ${status}`) ?? 0) + 1)

  async function send(
    kind: string,
    path: string,
    init: RequestInit = {},
  ): Promise<Response | null> {
    try {
      const response = await fetch(`${base}${path}`, { redirect: 'manual', ...init })
      count(kind, response.status)
      return response
    } catch (error) {
      count(kind, error instanceof Error ? error.name : 'error')
      return null
    }
  }
  const read = async (kind: string, path: string, headers: Record<string, string> = {}) =>
    (await send(kind, path, { headers: { cookie: hub.cookie, ...headers } }))
      ?.text()
      .catch(() => '')

  /** Repeats work at a rate, without catching up after a delay. */
  async function repeat(intervalMs: number, work: (turn: number) => Promise<unknown>) {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      const begun = performance.now()
      await work(turn)
      const rest = Math.max(0, intervalMs - (performance.now() - begun))
      await pause(rest, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function push(key: string, turn: number): Promise<void> {
    const begun = performance.now()
    const response = await send('push', '/api/webhook/receive', createPush(key, turn))
    const text = await response?.text()
    if (response?.ok && text) latencies.push(performance.now() - begun)
  }

  async function listen(turn: number): Promise<void> {
    const closing = AbortSignal.any([
      AbortSignal.timeout(2000 + (turn % 10) * 2000),
      stopping.signal,
    ])
    const headers = { cookie: hub.cookie }
    const stream = await send('events', '/dashboard/events', { headers, signal: closing })
    await stream?.text().catch(() => undefined)
  }

  async function exportRecords(turn: number): Promise<void> {
    const format = ['ndjson', 'csv', 'xlsx'][turn % 3]
    // Every fourth export is aborted.
    const signal = turn % 4 === 3 ? AbortSignal.timeout(100) : stopping.signal
    const init = { headers: { cookie: hub.cookie }, signal }
    const response = await send('export', `/api/v1/records/export?format=${format}`, init)
    await response?.arrayBuffer().catch(() => undefined)
  }

  async function signInAndOut(turn: number): Promise<void> {
    const isWrong = turn % 4 === 3
    // A wrong password must not lock out the other sign-ins.
    const address = isWrong ? `10.0.${turn % 250}.1` : '127.0.0.1'
    const headers = { ...JSON_TYPE, 'X-Forwarded-For': address, Origin: base }
    const body = JSON.stringify(isWrong ? { ...OPERATOR, password: 'not the password' } : OPERATOR)
    const response = await send('sign-in', '/api/auth/sign-in/email', {
      ...{ method: 'POST', headers, body },
    })
    await response?.text()
    const cookie = response?.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    if (!cookie || isWrong) return
    const session = await send('session', '/api/v1/session', { headers: { cookie } })
    const { csrf_token = '' }: { csrf_token?: string } = Object(await session?.json())
    const ended = await send('sign-out', '/api/auth/sign-out', {
      method: 'POST',
      headers: { ...headers, cookie, 'X-CSRF-TOKEN': csrf_token },
      body: '{}',
    })
    await ended?.text()
  }

  /** Registers a platform, pulls its records, and removes it. */
  async function replacePlatform(turn: number): Promise<void> {
    const platform_name = `temporary-${turn}`
    try {
      const { id } = await register(hub, { port: platformsPort, name: platform_name })
      await pause(90_000, undefined, { signal: stopping.signal })
      await hub.call('DELETE', `/api/v1/platforms/${id}`, { platform_name })
      count('remove platform', 202)
    } catch {
      if (!stopping.signal.aborted) count('remove platform', 'failed')
    }
  }

  const names = [...new Set([...PULLED, ...PUSHING])]
  const keys = new Map<string, string>()
  for (const name of names) keys.set(name, (await register(hub, { port: platformsPort, name })).key)
  const search = (turn: number) => encodeURIComponent(SEARCHES[turn % SEARCHES.length] ?? '')
  const done = Promise.all([
    ...PUSHING.map((name) =>
      repeat(1000 / PUSHES_PER_SECOND, (turn) => push(keys.get(name) ?? '', turn)),
    ),
    ...[1, 2, 3].map(() => repeat(2000, () => read('snapshot', '/dashboard/realtime'))),
    repeat(1000, (turn) => read('search', `/api/v1/records?q=${search(turn)}`)),
    repeat(5000, (turn) => read('search all', `/api/v1/search?query=${search(turn)}`)),
    repeat(3000, () => read('list', '/api/v1/records?sort=-updated_at&limit=100')),
    repeat(4000, () => read('activity', '/api/v1/activity?limit=100')),
    repeat(5000, () => read('pulls', '/api/v1/pulls')),
    repeat(10_000, () => read('alerts', '/api/v1/alerts/events?since=latest&wait_seconds=8')),
    ...[1, 2, 3, 4].map(() => repeat(500, listen)),
    repeat(20_000, exportRecords),
    repeat(15_000, signInAndOut),
    repeat(5000, () => read('unauthorized', '/api/v1/records', { cookie: '' })),
    repeat(120_000, replacePlatform),
    repeat(180_000, async (turn) => {
      const backup = turn > 0 ? hub.call('POST', '/api/v1/backups', {}) : Promise.resolve()
      await backup.catch(() => count('backup', 'failed'))
    }),
  ])
  return {
    counts,
    takeLatencies() {
      const taken = latencies
      latencies = []
      return taken
    },
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** Mostly changes of records, whole or of some fields; every fiftieth is not valid, not JSON or without a valid key. */
function createPush(key: string, turn: number): RequestInit {
  const number = turn % PUSHED_RECORDS
  const digits = String(number).padStart(8, '0')
  const headers = { ...JSON_TYPE, 'X-API-KEY': turn % 150 === 149 ? 'rhk_wrong' : key }
  const isFirst = turn < PUSHED_RECORDS
  const method = isFirst || turn % 3 === 0 ? 'POST' : 'PATCH'
  const { pushes } = RECORD_DATA.museum
  const whole = pushes[turn % pushes.length]?.replaceAll('{number}', digits) ?? ''
  const changed = {
    record_type: 'item-1',
    reference_number: `PUSHED-${digits}`,
    data: {
      location: { building: 'Main', shelf: { bay: turn, level: turn % 6 } },
      description: createHash('sha512').update(String(turn)).digest('hex').repeat(4),
    },
  }
  if (turn % 150 === 49) return { method, headers, body: '{"reference_number":' }
  if (turn % 150 === 99) {
    // A limited number of distinct rejected pushes.
    const body = JSON.stringify({ record_type: 'item-1', reference_number: number, data: {} })
    return { method, headers, body }
  }
  return { method, headers, body: method === 'POST' ? whole : JSON.stringify(changed) }
}
