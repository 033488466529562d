import { handleRequest } from './platform.mjs'

// biome-ignore lint/style/noDefaultExport: Cloudflare's runtime requires it.
export default { fetch: (request) => handleRequest(request, 'on_workerd') }
