import { answer } from './platform.mjs'

// biome-ignore lint/style/noDefaultExport: Cloudflare's runtime requires it.
export default { fetch: (request) => answer(request, 'on_workerd') }
