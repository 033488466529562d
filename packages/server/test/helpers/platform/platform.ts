/** A platform as in specification 4.2, on loopback. Tests can replace its responses. */
import { createServer, type ServerResponse } from 'node:http'
import { unescape as decodePath } from 'node:querystring'
import { listenAtFreePort } from '../process/free-port.ts'
import { type ReceivedRequest, type Responder, respond } from './respond.ts'

export { type Responder, respond } from './respond.ts'

type SimulatedField = { key: string; label: string; type: string; required: boolean }
export type SimulatedModule = {
  module_name: string
  record_type: string
  description: string
  fields: SimulatedField[]
  /** The records of the records endpoint; a test may change them at any time. */
  records: unknown[]
}

/** A records endpoint is `records/<record_type>`, with a record type of the manifest. */
export type Endpoint = 'ping' | 'manifest' | 'search' | `records/${string}`

/** `arrived` resolves when the request arrives; `release` sends its response. */
type DelayedResponse = { arrived: Promise<void>; release: () => void }

export type SimulatedPlatform = {
  platform_name: string
  source_base_url: string
  source_api_key: string
  modules: SimulatedModule[]
  /** All received requests. */
  requests: ReceivedRequest[]
  /** Replaces the response of an endpoint; null restores the correct one. */
  setResponse: (endpoint: Endpoint, responder: Responder | null) => void
  /** Replaces the responses to the next requests of an endpoint, one each. */
  queueResponses: (endpoint: Endpoint, ...responders: Responder[]) => void
  /** The received records requests. */
  listRecordsRequests: () => ReceivedRequest[]
  /** Stops the server: connections are refused until `goOnline` starts it again. */
  goOffline: () => Promise<{ goOnline: () => Promise<void> }>
  /** Delays the response to the next request of an endpoint until `release` is called. */
  delayNextResponse: (endpoint: Endpoint) => DelayedResponse
  [Symbol.asyncDispose]: () => Promise<void>
}

export type PlatformOptions = {
  platform_name?: string
  source_api_key?: string
  modules?: SimulatedModule[]
  /** The configurable segment of the paths. */
  pathSegment?: string
  /** The prefix of the paths before `/api`. */
  pathPrefix?: string
  /** Whether connections stay open after a response. */
  keepAlive?: boolean
}

let platformCount = 0

export function simulatedModule(
  record_type: string,
  overrides: Partial<SimulatedModule> & { keys?: string[] } = {},
): SimulatedModule {
  const { keys = ['reference_number', 'status', 'created_at', 'updated_at'], ...rest } = overrides
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
  platformCount += 1
  const {
    platform_name = `platform_${platformCount}`,
    source_api_key = `source-key-of-${platform_name}-0123456789`,
    modules = [simulatedModule('cases')],
    pathSegment = 'hub',
    pathPrefix = '',
    keepAlive = true,
  } = options
  const requests: ReceivedRequest[] = []
  const responders = new Map<string, Responder>()
  const queues = new Map<string, Responder[]>()
  const delays = new Map<string, { arrive: () => void; released: Promise<void> }>()

  async function handle(request: ReceivedRequest, response: ServerResponse): Promise<void> {
    const endpoint = endpointOf(request.path, `${pathPrefix}/api/${pathSegment}/`)
    const delay = delays.get(endpoint)
    if (delay) {
      delays.delete(endpoint)
      delay.arrive()
      await delay.released
    }
    const responder = queues.get(endpoint)?.shift() ?? responders.get(endpoint)
    if (responder) return responder(response, request)
    correctResponder(endpoint, request)(response, request)
  }

  function correctResponder(endpoint: string, { path, headers }: ReceivedRequest): Responder {
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

  // Only clients close idle connections: a request on one that its server closes at that moment fails.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { method = '', url = '', headers } = request
    const received = { method, path: url, headers, platform_name }
    requests.push(received)
    void handle(received, response)
  })
  if (!keepAlive) server.maxRequestsPerSocket = 1
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
    source_base_url: `http://127.0.0.1:${port}${pathPrefix}`,
    setResponse(endpoint, responder) {
      if (responder) responders.set(endpoint, responder)
      else responders.delete(endpoint)
    },
    queueResponses: (endpoint, ...queue) => void queues.set(endpoint, queue),
    listRecordsRequests: () => requests.filter(({ path }) => path.includes('/records/')),
    async goOffline() {
      await close()
      const goOnline = () =>
        new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      return { goOnline }
    },
    delayNextResponse(endpoint) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      delays.set(endpoint, { arrive: arrived.resolve, released: released.promise })
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

/** The response of the search endpoint. The specification does not define its format. */
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
  // Not decodeURIComponent, which throws for an address that the hub takes from a link.
  return rest.startsWith('records/') ? `records/${decodePath(rest.slice(8))}` : rest
}
