import { answer } from './platform.mjs'

// biome-ignore lint/style/noDefaultExport: Cloudflare's runtime asks for it.
export default { fetch: (request) => answer(request, 'on_workerd') }
