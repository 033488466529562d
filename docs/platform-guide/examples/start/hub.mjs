import { createServer } from 'node:http'

const key = process.env.SOURCE_API_KEY
if (!key) throw new Error('Set SOURCE_API_KEY')
// Replace with your records.
const letters = [
  {
    reference_number: 'L-1',
    full_name: 'Letter to Agnes Thorne',
    data: { written_on: '1901-03-14' },
  },
]
const letter = { module_name: 'Letters', record_type: 'letter' }
const fields = [{ key: 'written_on', label: 'Written on', type: 'date', required: false }]
const responses = {
  '/api/hub/ping': { message: 'The archive is online.' },
  '/api/hub/manifest': {
    platform_title: 'Archive',
    platform_description: '',
    modules: [{ ...letter, description: '', fields }],
  },
  '/api/hub/records/letter': { ...letter, total: letters.length, records: letters },
}

createServer((request, response) => {
  const isAllowed = request.headers['x-platform-api-key'] === key
  const body = isAllowed && responses[request.url.split('?')[0]]
  response.writeHead(body ? 200 : isAllowed ? 404 : 401, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ success: Boolean(body), platform_name: 'archive', ...body }))
}).listen(process.env.PORT ?? 3000)
