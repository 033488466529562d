import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'
import { median } from './push-load.ts'
import { heading, type Line, report } from './report.ts'

const ROUNDS = 15
const DEEP_PAGE = 1000
/** Milliseconds, also with millions of records. */
const LATENCY_GOAL = 50

/** Lists of many records pulled from one module: milliseconds over HTTP, and how far each scan got. */
export async function benchRecords(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', ['small', String(records)], {})
  const hub = await startHub(engine)
  const line = { bench: 'records', engine } as const
  try {
    const { id } = await register(hub, platform)
    const { seconds } = await waitForPull(hub, await startPull(hub))
    heading(`records, ${engine}, ${records} small records, pulled in ${seconds.toFixed(1)} s`)
    await waitUntilSearchable(hub)
    const fields = `/api/v1/platforms/${id}/modules/item-1/indexed-fields`
    await hub.call('PUT', fields, { fields: ['email', 'salary'] })
    const building = performance.now()
    while (JSON.stringify(await hub.call('GET', fields)).includes('"is_built":false')) {
      await sleep(100)
    }
    const indexing = (performance.now() - building) / 1000
    report({ ...line, name: 'two fields indexed', figure: indexing, unit: 's', goal: null })
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
      report({ ...line, name, ...(await measure(hub, query)) })
    }
    for (const sort of ['-updated_at', 'full_name', 'data.salary']) {
      const query = `${module}&sort=${sort}`
      report({ ...line, name: `page ${DEEP_PAGE} by ${sort}`, ...(await measureDeep(hub, query)) })
    }
    const figure = peakMemory(hub.process.pid)
    report({ ...line, name: 'peak memory of the hub', figure, unit: 'MB', goal: { atMost: 300 } })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

async function measure(hub: BenchHub, query: string): Promise<Latency> {
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
  return describe(times, `${found}${complete === false ? ', not complete' : ''} ${error}`.trim())
}

async function measureDeep(hub: BenchHub, query: string): Promise<Latency> {
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
  return describe(times.slice(-ROUNDS), '50 per page')
}

type Latency = Pick<Line, 'figure' | 'unit' | 'goal' | 'measured'>

function describe(times: number[], found: string): Latency {
  const measured = `${found}, worst ${Math.max(...times).toFixed(1)} ms`
  return { figure: median(times), unit: 'ms', goal: { atMost: LATENCY_GOAL }, measured }
}
