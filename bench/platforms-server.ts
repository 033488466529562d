/**
 * Any number of platforms in one process, with the given modules and some tens of records in each:
 * `node platforms-server.ts <modules>`.
 */
import { listen } from './listen.ts'
import { createPlatforms } from './platforms.ts'
import { SMALL_FIELDS, smallRecord } from './small-record.ts'

const SMALLEST = 20
const SIZES = 60

/** The lists of all sizes are created once, so that the server needs little processor time. */
const lists = Array.from({ length: SIZES }, (_, index) => {
  const records = Array.from({ length: SMALLEST + index }, (_one, number) => smallRecord(number))
  return { total: records.length, records: Buffer.from(`${records.join(',')}]}`) }
})

await listen(
  createPlatforms(Number(process.argv[2]), SMALL_FIELDS, (module, response) => {
    const list = lists[sizeOf(`${module.platform_name} ${module.record_type}`)]
    if (!list) throw new Error('There is no list of this size')
    const head = JSON.stringify({ success: true, ...module, total: list.total }).slice(0, -1)
    const body = Buffer.concat([Buffer.from(`${head},"records":[`), list.records])
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
      .end(body)
  }),
)

/** Evenly distributed, and always the same for a module. */
function sizeOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) % 1_000_003
  return hash % SIZES
}
