import { createServer, type Server, type ServerResponse } from 'node:http'

export type ModuleRef = { platform_name: string; record_type: string }

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PATH = /^\/([\w-]+)\/api\/hub\/(ping|manifest|records\/([\w-]+))$/

/**
 * Any number of platforms on one server: the first segment of the path selects one (`/bench-1/api/hub/ping`).
 * Each has the given number of modules, `item-1` and following.
 */
export function createPlatforms(
  modules: number,
  fields: readonly unknown[],
  sendRecords: (module: ModuleRef, response: ServerResponse) => void,
): Server {
  const offered = recordTypes(modules).map((record_type) => ({
    module_name: `Items ${record_type}`,
    record_type,
    description: '',
    fields,
  }))
  return createServer((request, response) => {
    const [, platform_name, resource, record_type] = PATH.exec(request.url ?? '') ?? []
    if (platform_name === undefined) return response.writeHead(404).end()
    if (record_type !== undefined) return sendRecords({ platform_name, record_type }, response)
    const about = { success: true, platform_name, message: 'The platform is online.' }
    const manifest = {
      platform_title: platform_name,
      platform_description: '',
      modules: offered,
    }
    const body = resource === 'manifest' ? { ...about, ...manifest } : about
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify(body))
  })
}

export function recordTypes(modules: number): string[] {
  return Array.from({ length: modules }, (_, index) => `item-${index + 1}`)
}

export function platformNames(platforms: number): string[] {
  return Array.from({ length: platforms }, (_, index) => `bench-${index + 1}`)
}
