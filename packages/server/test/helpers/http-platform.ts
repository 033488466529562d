/** A platform as the specification describes it (4.2), on loopback, that can be told to misbehave. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export type SimulatedField = { key: string; label: string; type: string; required: boolean }
export type SimulatedModule = {
  module_name: string
  record_type: string
  description: string
  fields: SimulatedField[]
  /** What the records endpoint serves; a test may change it at any time. */
  records: unknown[]
}

export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders }

/** How an endpoint answers instead of as agreed. */
export type Behaviour = (response: ServerResponse) => void

/** `records/<record_type>` with the type as it stands in the manifest. */
export type Endpoint = 'ping' | 'manifest' | 'search' | `records/${string}`

/** A request that is held: it has come, and gets its answer once it is released. */
export type HeldRequest = { arrived: Promise<void>; release: () => void }

export type SimulatedPlatform = {
  platform_name: string
  source_base_url: string
  source_api_key: string
  modules: SimulatedModule[]
  /** Every request that came, whatever became of it. */
  requests: ReceivedRequest[]
  /** Answers an endpoint like this from now on; null for as agreed. */
  behave: (endpoint: Endpoint, behaviour: Behaviour | null) => void
  /** Holds the next request to an endpoint. */
  hold: (endpoint: Endpoint) => HeldRequest
  [Symbol.asyncDispose]: () => Promise<void>
}

export type PlatformOptions = {
  platform_name?: string
  source_api_key?: string
  modules?: SimulatedModule[]
  /** The neutral word in the paths. */
  word?: string
  /** What stands before `/api` in the paths. */
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

/** A record as the records endpoint serves it. */
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
  const behaviours = new Map<string, Behaviour>()
  const holds = new Map<string, { arrive: () => void; released: Promise<void> }>()

  async function answer(path: string, key: unknown, response: ServerResponse): Promise<void> {
    const endpoint = endpointOf(path, `${base}/api/${word}/`)
    const hold = holds.get(endpoint)
    if (hold) {
      holds.delete(endpoint)
      hold.arrive()
      await hold.released
    }
    const behaviour = behaviours.get(endpoint)
    if (behaviour) return behaviour(response)
    if (key !== source_api_key) return respond.status(401)(response)
    const module = modules.find((one) => endpoint === `records/${one.record_type}`)
    if (endpoint === 'ping') {
      respond.json({ success: true, message: 'The platform is online.', platform_name })(response)
    } else if (endpoint === 'manifest') {
      respond.json(manifestOf(platform_name, modules))(response)
    } else if (endpoint === 'search') {
      const query = new URLSearchParams(path.split('?')[1]).get('query') ?? ''
      respond.json(searchAnswer(platform_name, modules, query))(response)
    } else if (module) {
      respond.json(recordsAnswer(platform_name, module))(response)
    } else respond.status(404)(response)
  }

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, path: url, headers })
    void answer(url, headers['x-platform-api-key'], response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')

  return {
    platform_name,
    source_api_key,
    modules,
    requests,
    source_base_url: `http://127.0.0.1:${address.port}${base}`,
    behave(endpoint, behaviour) {
      if (behaviour) behaviours.set(endpoint, behaviour)
      else behaviours.delete(endpoint)
    },
    hold(endpoint) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.set(endpoint, { arrive: arrived.resolve, released: released.promise })
      return { arrived: arrived.promise, release: released.resolve }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the records endpoint of a module serves as agreed (specification 2.5). */
export function recordsAnswer(platform_name: string, module: SimulatedModule) {
  const { module_name, record_type, records } = module
  const total = records.length
  return { success: true, platform_name, module_name, record_type, total, records }
}

/** What the search endpoint serves; the specification leaves its shape open. */
function searchAnswer(platform_name: string, modules: SimulatedModule[], query: string) {
  const records = modules.flatMap((module) => module.records)
  const found = records.filter((record) => JSON.stringify(record).includes(query))
  return { success: true, platform_name, records: found }
}

/** What the manifest endpoint serves as agreed (specification 2.2). */
export function manifestOf(platform_name: string, modules: SimulatedModule[]) {
  return {
    success: true,
    platform_name,
    platform_title: `Title of ${platform_name}`,
    platform_description: `About ${platform_name}`,
    modules: modules.map(({ records: _, ...module }) => module),
  }
}

/** Ways to answer. */
export const respond = {
  json: (body: unknown): Behaviour => respond.text(JSON.stringify(body), 'application/json'),
  text:
    (text: string | Buffer, type: string, headers: Record<string, string> = {}): Behaviour =>
    (response) => {
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(text)
    },
  status:
    (status: number, headers: Record<string, string> = {}): Behaviour =>
    (response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify({ success: false, message: `This is ${status}` }))
    },
  html: (): Behaviour => respond.text('<!doctype html><h1>Sign in</h1>', 'text/html'),
  redirect: (location: string): Behaviour => respond.status(302, { Location: location }),
  /** Sends this much of an answer and cuts the connection. */
  cutOff:
    (text: string): Behaviour =>
    (response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(text) + 1000),
      })
      response.write(text, () => response.destroy())
    },
  /** Cuts the connection before anything was sent. */
  nothing: (): Behaviour => (response) => {
    response.destroy()
  },
} as const

function endpointOf(url: string, prefix: string): string {
  const [path = ''] = url.split('?')
  if (!path.startsWith(prefix)) return ''
  const rest = path.slice(prefix.length)
  return rest.startsWith('records/') ? `records/${decodeURIComponent(rest.slice(8))}` : rest
}
