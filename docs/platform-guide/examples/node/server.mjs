import { createHash, timingSafeEqual } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'

const sourceKey = process.env.SOURCE_API_KEY
if (!sourceKey) throw new Error('Set SOURCE_API_KEY')
const manifest = JSON.parse(readFileSync('manifest.json', 'utf8'))
const { platform_name, platform_title, modules } = manifest

/** All records, or those of one module. Replace with a query with a cursor, which reads row by row. */
async function* readRecords(recordType) {
  for await (const line of createInterface({ input: createReadStream('records.ndjson') })) {
    const record = JSON.parse(line)
    if (recordType === undefined || record.record_type === recordType) yield record
  }
}

/** Replace with SELECT count(*). */
async function countRecords(recordType) {
  let count = 0
  for await (const _ of readRecords(recordType)) count += 1
  return count
}

/** Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide. */
async function readVersion(_recordType) {
  const { size, mtimeMs } = statSync('records.ndjson')
  return `${size}-${mtimeMs}`
}

const app = express()
const digest = (text) => createHash('sha256').update(text).digest()

app.use('/api/hub', (request, response, next) => {
  const given = request.get('X-PLATFORM-API-KEY') ?? ''
  if (timingSafeEqual(digest(given), digest(sourceKey))) return next()
  response.status(401).json({ success: false, message: 'The key is wrong.' })
})

app.get('/api/hub/ping', (_request, response) => {
  response.json({ success: true, message: `${platform_title} is online.`, platform_name })
})

app.get('/api/hub/manifest', (_request, response) => {
  response.json(manifest)
})

app.get('/api/hub/records/:record_type', async (request, response) => {
  const { record_type } = request.params
  const module = modules.find((one) => one.record_type === record_type)
  if (!module) {
    return response.status(404).json({ success: false, message: 'No such module.' })
  }
  // Read it before the records, so that a change during the response leads to another version.
  const etag = `"${await readVersion(record_type)}"`
  response.set('ETag', etag)
  if (request.get('If-None-Match')?.includes(etag)) return response.status(304).end()
  const { module_name } = module
  const total = await countRecords(record_type)
  const head = { success: true, platform_name, module_name, record_type, total }
  async function* write() {
    yield `${JSON.stringify(head).slice(0, -1)},"records":[`
    let comma = ''
    for await (const { reference_number, full_name, data } of readRecords(record_type)) {
      yield comma + JSON.stringify({ reference_number, full_name, data })
      comma = ','
    }
    yield ']}'
  }
  response.type('application/json')
  // An error in the loop cuts the connection, so the hub knows that the response is incomplete.
  await pipeline(Readable.from(write()), response).catch((error) => console.error(error))
})

app.get('/api/hub/search', async (request, response) => {
  const word = String(request.query.query ?? '').toLowerCase()
  const records = []
  for await (const record of readRecords()) {
    if (JSON.stringify(record).toLowerCase().includes(word) && records.push(record) === 50) break
  }
  response.json({ success: true, platform_name, records })
})

app.listen(3000, () => console.log('The platform listens.'))
