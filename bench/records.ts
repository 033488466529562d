import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, startServer } from './processes.ts'

const ROUNDS = 15
const DEEP_PAGE = 1000

/** Lists of many records pulled from one module: milliseconds over HTTP, and how far each scan got. */
export async function benchRecords(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [String(records)], {})
  const hub = await startHub(engine)
  const print = (line: string) => process.stdout.write(`  ${line}\n`)
  try {
    const { id } = await register(hub, platform)
    const { seconds } = await waitForPull(hub, await startPull(hub))
    process.stdout.write(`records, ${engine}, ${records}\n`)
    print(`pulled in ${seconds.toFixed(1)} s`)
    print(`text index has caught up after ${(await untilIndexed(hub)).toFixed(1)} s more`)
    const fields = `/api/v1/platforms/${id}/modules/item-1/indexed-fields`
    await hub.call('PUT', fields, { fields: ['email', 'salary'] })
    const building = performance.now()
    while (JSON.stringify(await hub.call('GET', fields)).includes('"is_built":false')) {
      await pause(100)
    }
    print(`two fields indexed in ${((performance.now() - building) / 1000).toFixed(1)} s`)
    const middle = String(Math.floor(records / 2)).padStart(8, '0')
    const module = 'platform=bench-1&record_type=item-1'
    for (const [name, query] of [
      ['first page', ''],
      ['first page of a module', module],
      ['first page by name', `${module}&sort=full_name`],
      ['first page by created_at', `${module}&sort=created_at`],
      ['sorted by an indexed field', `${module}&sort=-data.salary`],
      ['filtered, indexed, one record', `${module}&filter[email]=person.${middle}@example.org`],
      ['filtered, indexed, 20 in a million', `${module}&filter[salary]=41234`],
      ['filtered, a third of all', `${module}&filter[active]=true`],
      ['filtered, not indexed, one record', `${module}&filter[phone]=%2B49 30 ${middle}`],
      ['sorted by a field without index', `${module}&sort=data.address`],
      ['search, one record', `q=${middle}`],
      ['search, two words', `q=${middle} operations`],
      ['search, every record', 'q=operations'],
      ['search, none', 'q=nowhere to be found'],
      ['search, a beginning, every record', 'q=pe'],
      ['search, a beginning, none', 'q=xy'],
      ['changed since', 'changed_since=2030-01-01T00:00:00Z'],
    ] as const) {
      print(`${name.padEnd(36)} ${await measure(hub, query)}`)
    }
    for (const sort of ['-updated_at', 'full_name', 'data.salary']) {
      print(
        `page ${DEEP_PAGE} by ${sort}`.padEnd(37) +
          (await measureDeep(hub, `${module}&sort=${sort}`)),
      )
    }
    print(`peak memory of the hub ${Math.round(peakMemory(hub.process.pid) / 1e6)} MB`)
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

async function untilIndexed(hub: BenchHub): Promise<number> {
  const begin = performance.now()
  while ((await hub.call('GET', '/api/v1/search/status'))['lag'] !== 0) await pause(100)
  return (performance.now() - begin) / 1000
}

async function measure(hub: BenchHub, query: string): Promise<string> {
  const times: number[] = []
  let last: Record<string, unknown> = {}
  for (let round = 0; round < ROUNDS && (times.at(-1) ?? 0) < 1500; round++) {
    const begin = performance.now()
    try {
      last = await hub.call('GET', `/api/v1/records?${query}`)
    } catch (error) {
      last = { records: [], error: String(error).slice(0, 60) }
    }
    times.push(performance.now() - begin)
  }
  const { records, complete, estimated_total, error = '' } = last
  const found = `${Array.isArray(records) ? records.length : 0} of ${estimated_total}`
  return `${describe(times)}; ${found}${complete === false ? ', not complete' : ''} ${error}`
}

async function measureDeep(hub: BenchHub, query: string): Promise<string> {
  let cursor: unknown = ''
  const times: number[] = []
  for (let page = 1; page <= DEEP_PAGE && cursor !== null; page++) {
    const begin = performance.now()
    const response = await hub.call(
      'GET',
      `/api/v1/records?${query}${cursor && `&cursor=${cursor}`}`,
    )
    times.push(performance.now() - begin)
    cursor = response['next_cursor']
  }
  return describe(times.slice(-ROUNDS))
}

function describe(times: number[]): string {
  const sorted = times.toSorted((one, other) => one - other)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return `${middle.toFixed(1).padStart(8)} ms (worst ${(sorted.at(-1) ?? Number.NaN).toFixed(1)})`
}
