import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { createPlatformHandler } from '@recordhub/platform-kit'
import { toNodeListener } from '@recordhub/platform-kit/node'

const manifest = JSON.parse(readFileSync('manifest.json', 'utf8'))

/** All records, or those of one module. Replace with a query with a cursor, which reads row by row. */
async function* readRecords(recordType) {
  for await (const line of createInterface({ input: createReadStream('records.ndjson') })) {
    const { record_type, ...record } = JSON.parse(line)
    if (recordType === undefined) yield { record_type, ...record }
    else if (record_type === recordType) yield { ...record, version: versionOf(record) }
  }
}

/** Changes whenever anything in the record changes. Replace with a column, such as updated_at with microseconds. */
function versionOf({ full_name, data }) {
  return createHash('md5')
    .update(JSON.stringify([full_name, data]))
    .digest('hex')
}

/** Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide. */
function readVersion(_recordType) {
  const { size, mtimeMs } = statSync('records.ndjson')
  return `${size}-${mtimeMs}`
}

async function* search(query) {
  const word = query.toLowerCase()
  for await (const record of readRecords()) {
    if (JSON.stringify(record).toLowerCase().includes(word)) yield record
  }
}

const platform = {
  name: manifest.platform_name,
  title: manifest.platform_title,
  description: manifest.platform_description,
  sourceKey: process.env.SOURCE_API_KEY,
  modules: manifest.modules.map(({ module_name, record_type, description, fields }) => ({
    name: module_name,
    recordType: record_type,
    description,
    fields,
    records: () => readRecords(record_type),
    version: () => readVersion(record_type),
  })),
  search,
}

const handler = createPlatformHandler(platform, { pathWord: 'hub' })
createServer(toNodeListener(handler)).listen(3000, () => console.log('The platform listens.'))
