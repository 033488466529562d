/** A platform as the specification describes it (4.2), on loopback, whose responses a test can replace. */
import { createServer, type ServerResponse } from 'node:http'
import { listenAtFreePort } from '../process/free-port.ts'
import { type ReceivedRequest, type Responder, respond } from './respond.ts'

export { type Responder as Behaviour, respond } from './respond.ts'

type SimulatedField = { key: string; label: string; type: string; required: boolean }
export type SimulatedModule = {
  module_name: string
  record_type: string
  description: string
  fields: SimulatedField[]
  /** The records of the records endpoint; a test may change them at any time. */
  records: unknown[]
}

/** `records/<record_type>` with the type from the manifest. */
export type Endpoint = 'ping' | 'manifest' | 'search' | `records/${string}`

/** A request that has arrived and gets its response when it is released. */
type HeldRequest = { arrived: Promise<void>; release: () => void }

export type SimulatedPlatform = {
  platform_name: string
  source_base_url: string
  source_api_key: string
  modules: SimulatedModule[]
  /** All received requests. */
  requests: ReceivedRequest[]
  /** Sets the response of an endpoint; null restores the correct one. */
  setResponse: (endpoint: Endpoint, behaviour: Responder | null) => void
  /** Sets the responses to the next requests of an endpoint, one each. */
  queueResponses: (endpoint: Endpoint, ...behaviours: Responder[]) => void
  /** The received records requests. */
  recordRequests: () => ReceivedRequest[]
  /** Stops the server, so that connections are refused, until it is started again. */
  goOffline: () => Promise<{ comeBack: () => Promise<void> }>
  /** Holds the response to the next request of an endpoint. */
  holdRequest: (endpoint: Endpoint) => HeldRequest
  [Symbol.asyncDispose]: () => Promise<void>
}

export type PlatformOptions = {
  platform_name?: string
  source_api_key?: string
  modules?: SimulatedModule[]
  /** The configurable segment of the paths. */
  word?: string
  /** The prefix of the paths before `/api`. */
  base?: string
}

let made = 0

export function simulatedModule(
  record_type: string,
  over: Partial<SimulatedModule> & { keys?: string[] } = {},
): SimulatedModule {
  const { keys = ['reference_number', 'status', 'created_at', 'updated_at'], ...rest } = over
  return {
    module_name: `Module ${record_type}`,
    record_type,
    description: `All ${record_type}`,
    fields: keys.map((key) => ({ key, label: `Label ${key}`, type: 'string', required: false })),
    records: [],
    ...rest,
  }
}

/** A record as the records endpoint returns it. */
export function simulatedRecord(reference: string | number, data: unknown = { status: 'open' }) {
  const reference_number = `R-${reference}`
  return { reference_number, full_name: `Person ${reference}`, data }
}

export async function simulatePlatform(options: PlatformOptions = {}): Promise<SimulatedPlatform> {
  made += 1
  const {
    platform_name = `platform_${made}`,
    source_api_key = `source-key-of-${platform_name}-0123456789`,
    modules = [simulatedModule('cases')],
    word = 'hub',
    base = '',
  } = options
  const requests: ReceivedRequest[] = []
  const behaviours = new Map<string, Responder>()
  const turns = new Map<string, Responder[]>()
  const holds = new Map<string, { arrive: () => void; released: Promise<void> }>()

  async function answer(request: ReceivedRequest, response: ServerResponse): Promise<void> {
    const endpoint = endpointOf(request.path, `${base}/api/${word}/`)
    const hold = holds.get(endpoint)
    if (hold) {
      holds.delete(endpoint)
      hold.arrive()
      await hold.released
    }
    const behaviour = turns.get(endpoint)?.shift() ?? behaviours.get(endpoint)
    if (behaviour) return behaviour(response, request)
    agreed(endpoint, request)(response, request)
  }

  function agreed(endpoint: string, { path, headers }: ReceivedRequest): Responder {
    if (headers['x-platform-api-key'] !== source_api_key) return respond.status(401)
    const module = modules.find((one) => endpoint === `records/${one.record_type}`)
    if (endpoint === 'ping') {
      return respond.json({ success: true, message: 'The platform is online.', platform_name })
    }
    if (endpoint === 'manifest') return respond.json(manifestOf(platform_name, modules))
    if (endpoint === 'search') {
      const query = new URLSearchParams(path.split('?')[1]).get('query') ?? ''
      return respond.json(searchResponse(platform_name, modules, query))
    }
    return module ? respond.json(recordsResponse(platform_name, module)) : respond.status(404)
  }

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const received = { method, path: url, headers, platform_name }
    requests.push(received)
    void answer(received, response)
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const port = await listenAtFreePort(server)

  return {
    platform_name,
    source_api_key,
    modules,
    requests,
    source_base_url: `http://127.0.0.1:${port}${base}`,
    setResponse(endpoint, behaviour) {
      if (behaviour) behaviours.set(endpoint, behaviour)
      else behaviours.delete(endpoint)
    },
    queueResponses: (endpoint, ...inTurn) => void turns.set(endpoint, inTurn),
    recordRequests: () => requests.filter(({ path }) => path.includes('/records/')),
    async goOffline() {
      await close()
      const comeBack = () =>
        new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      return { comeBack }
    },
    holdRequest(endpoint) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.set(endpoint, { arrive: arrived.resolve, released: released.promise })
      return { arrived: arrived.promise, release: released.resolve }
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The correct response of the records endpoint of a module (specification 2.5). */
export function recordsResponse(platform_name: string, module: SimulatedModule) {
  const { module_name, record_type, records } = module
  const total = records.length
  return { success: true, platform_name, module_name, record_type, total, records }
}

/** The response of the search endpoint; the specification does not define its shape. */
function searchResponse(platform_name: string, modules: SimulatedModule[], query: string) {
  const records = modules.flatMap((module) => module.records)
  const found = records.filter((record) => JSON.stringify(record).includes(query))
  return { success: true, platform_name, records: found }
}

/** The correct response of the manifest endpoint (specification 2.2). */
export function manifestOf(platform_name: string, modules: SimulatedModule[]) {
  return {
    success: true,
    platform_name,
    platform_title: `Title of ${platform_name}`,
    platform_description: `About ${platform_name}`,
    modules: modules.map(({ records: _, ...module }) => module),
  }
}

function endpointOf(url: string, prefix: string): string {
  const [path = ''] = url.split('?')
  if (!path.startsWith(prefix)) return ''
  const rest = path.slice(prefix.length)
  return rest.startsWith('records/') ? `records/${decodeURIComponent(rest.slice(8))}` : rest
}
