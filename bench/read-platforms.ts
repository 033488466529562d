/**
 * The baseline: requests every module of every platform with undici and reads it with `json()`, a number of
 * platforms at a time, without storing it. `node read-platforms.ts <port> <platforms> <modules> <at a time>`
 * prints its milliseconds.
 */
import { Agent, request } from 'undici'
import { platformNames, recordTypes } from './platforms.ts'

const [port = 0, platforms = 0, modules = 0, atOnce = 0] = process.argv.slice(2).map(Number)
const dispatcher = new Agent({ connections: atOnce })
const waiting = platformNames(platforms)
let records = 0
const begun = performance.now()
await Promise.all(Array.from({ length: atOnce }, readPlatforms))
process.stdout.write(JSON.stringify({ milliseconds: performance.now() - begun, records }))
await dispatcher.close()

async function readPlatforms(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    for (const recordType of recordTypes(modules)) {
      const url = `http://127.0.0.1:${port}/${name}/api/hub/records/${recordType}`
      const { body } = await request(url, { dispatcher })
      const response: { records: unknown[] } = Object(await body.json())
      records += response.records.length
    }
  }
}
