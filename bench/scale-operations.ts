/** The requests whose times are compared between databases of different sizes. */
import type { BenchHub } from './hub.ts'
import type { Goal } from './report.ts'

/** Sends a request. The time counts per unit. */
type Request = () => Promise<{ units: number; result: string }>

export type Operation = {
  name: string
  /** `ratio` compares the largest database with the smallest one; `ms` is of the largest one. */
  goals: { ratio: Goal | null; ms?: Goal }
  /** Left out of the plot, which would have too many lines. */
  isPlotted?: false
  prepare: (hub: BenchHub, records: number) => Promise<Request>
}

const LIST_GOALS = { ratio: { atMost: 3 }, ms: { atMost: 50 } }
/** Selects a record whose number has few zeros, since the parts of 05000000 are those of many other numbers. */
const MIXED = 0.4718293
/** The module with a tenth of all records. */
const MODULE = 'platform=bench-1&record_type=item-1'

export function listOperations(): Operation[] {
  return [
    {
      name: '/dashboard/realtime',
      // The time over HTTP is an upper bound of that in the server.
      goals: { ratio: { atMost: 1.5 }, ms: { atMost: 2 } },
      prepare: async (hub) => async () => {
        const response = await hub.open('/dashboard/realtime')
        return { units: 1, result: `${(await response.arrayBuffer()).byteLength} bytes` }
      },
    },
    list('first page', () => ''),
    withoutPlot(list('first page of a module by name', () => `${MODULE}&sort=full_name`)),
    list('filtered by a hub column', () => 'missing=false'),
    withoutPlot(
      list(
        'filtered by reference number',
        (records) => `reference_number=ITEM-${digitsOf(records / 2)}`,
      ),
    ),
    list('filtered by name', (records) => `filter[hub_full_name]=${nameOf(records / 2)}`),
    list(
      'filtered by an indexed field',
      (records) => `${MODULE}&filter[email]=person.${digitsOf(records / 20)}@example.org`,
    ),
    withoutPlot(list('filtered without index, a third', () => `${MODULE}&filter[active]=true`)),
    {
      ...list(
        'filtered by a field without index',
        (records) => `${MODULE}&filter[phone]=%2B49 30 ${digitsOf(records / 20)}`,
      ),
      // Reads every record, for at most two seconds.
      goals: { ratio: null },
    },
    {
      name: 'page in the middle',
      goals: LIST_GOALS,
      prepare: (hub, records) => prepareDeepPage(hub, '', records / 2, records / 2),
    },
    {
      name: 'page in the middle of a module by name',
      isPlotted: false,
      goals: LIST_GOALS,
      prepare: (hub, records) =>
        prepareDeepPage(hub, `${MODULE}&sort=full_name`, nameOf(records / 20), 0),
    },
    list('search for a word', (records) => `q=${digitsOf(records * MIXED)}`),
    list(
      'search for a rare and a frequent word',
      (records) => `q=senior ${digitsOf(records * MIXED)}`,
    ),
    withoutPlot(list('search for a word of every record', () => 'q=operations')),
    withoutPlot(list('search for the beginning of a word', () => 'q=pe')),
    list('search for a part of a name', (records) => `q=${digitsOf(records * MIXED).slice(1)}`),
    {
      name: 'export, per 1,000 records',
      goals: { ratio: { atMost: 3 } },
      prepare: async (hub, records) => async () => {
        const response = await hub.open(`/api/v1/records/export?format=ndjson&${MODULE}`)
        let bytes = 0
        for await (const chunk of response.body ?? []) bytes += chunk.length
        return { units: records / 10 / 1000, result: `${bytes} bytes` }
      },
    },
  ]
}

function list(name: string, queryOf: (records: number) => string): Operation {
  return {
    name,
    goals: LIST_GOALS,
    prepare: async (hub, records) => listRequest(hub, queryOf(records)),
  }
}

const withoutPlot = (operation: Operation): Operation => ({ ...operation, isPlotted: false })

function listRequest(hub: BenchHub, query: string): Request {
  return async () => {
    const { records, complete } = await hub.call('GET', `/api/v1/records?${query}`)
    const found = Array.isArray(records) ? records.length : 0
    return { units: 1, result: `${found} records${complete === false ? ', not complete' : ''}` }
  }
}

/** Changes the position in the cursor of the second page, instead of reading all pages before. */
async function prepareDeepPage(
  hub: BenchHub,
  query: string,
  value: string | number,
  record_id: number,
): Promise<Request> {
  const { next_cursor } = await hub.call('GET', `/api/v1/records?${query}`)
  const second: object = JSON.parse(Buffer.from(String(next_cursor), 'base64url').toString())
  const position = JSON.stringify({ ...second, value, record_id })
  return listRequest(hub, `${query}&cursor=${Buffer.from(position).toString('base64url')}`)
}

const digitsOf = (number: number) => String(Math.floor(number)).padStart(8, '0')
const nameOf = (number: number) => `Person ${digitsOf(number)}`
