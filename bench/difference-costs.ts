/** What versions cost: platforms with and without them in alternating pairs on one hub. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { museumPush } from './museum-record.ts'
import { platformNames, recordTypes } from './platforms.ts'
import { startServer } from './processes.ts'
import { median } from './push-load.ts'
import { heading, report } from './report.ts'
import { rangeOfModule } from './spread-records.ts'

const PAIRS = 12
/** The first platform warms up the hub. */
const PLATFORMS = 1 + 2 * PAIRS
const PUSHES = 1000
const PUSHES_AT_ONCE = 16
const MAX_RECORDS = 250_000
const IDLE_MS = 500

type Side = 'with' | 'without'
type Cost = { pull: number; push: number }

/** Compares the processor time of first pulls, and of pushes to known records. */
export async function measureCosts(engine: Engine, count: number): Promise<void> {
  const records = Math.max(Math.min(count, MAX_RECORDS), PUSHES * PLATFORMS)
  heading(`difference, ${engine}, ${records} museum records of 2 KB, half of them with versions`)
  const spread = { records, modules: 1, platforms: PLATFORMS }
  const server = await startServer(
    './digest-server.ts',
    [records, 1, PLATFORMS, 'mixed'].map(String),
    {},
  )
  const hub = await startHub(engine)
  const totals: Record<Side, Cost> = { with: { pull: 0, push: 0 }, without: { pull: 0, push: 0 } }
  const pairs: Record<keyof Cost, number[]> = { pull: [], push: [] }
  try {
    const { port } = server
    const names = platformNames(PLATFORMS)
    const platforms: Awaited<ReturnType<typeof register>>[] = []
    for (const name of names) platforms.push(await register(hub, { port, name }))
    const measure = async (index: number): Promise<Cost> => {
      const { id = 0, key = '' } = platforms[index] ?? {}
      const [record_type = ''] = recordTypes(1)
      const { first } = rangeOfModule({ platform_name: names[index] ?? '', record_type }, spread)
      const pulled = await costOf(hub, async () => {
        await waitForPull(hub, await startPull(hub, { platformId: id, recordTypes: [record_type] }))
      })
      return { pull: pulled, push: await costOf(hub, () => push(hub, key, first)) }
    }
    await measure(0)
    for (let pair = 0; pair < PAIRS; pair++) {
      // The server gives the platforms with an even number versions.
      const order: Side[] = pair % 2 === 0 ? ['with', 'without'] : ['without', 'with']
      const costs: Partial<Record<Side, Cost>> = {}
      for (const side of order) costs[side] = await measure(2 * pair + (side === 'with' ? 1 : 2))
      for (const kind of ['pull', 'push'] as const) {
        const [one = 0, other = 0] = [costs.with?.[kind], costs.without?.[kind]]
        totals.with[kind] += one
        totals.without[kind] += other
        pairs[kind].push(one / other)
      }
    }
  } finally {
    await hub.stop()
    await server.stop()
  }
  const line = { bench: 'difference', engine, unit: '×' } as const
  const describe = (kind: keyof Cost) => ({
    figure: median(pairs[kind]),
    measured: `${totals.with[kind].toFixed(2)} s, pairs ${pairs[kind].map((ratio) => ratio.toFixed(2)).join(' ')}`,
    yardstick: `without versions ${totals.without[kind].toFixed(2)} s`,
  })
  report({
    ...line,
    name: 'first pull, CPU with versions',
    goal: { atMost: 1.05 },
    ...describe('pull'),
  })
  report({ ...line, name: 'push, CPU with versions', goal: { atMost: 1.03 }, ...describe('push') })
}

/** The processor time of the hub and its database, work in the background included. */
async function costOf(hub: BenchHub, action: () => Promise<void>): Promise<number> {
  await untilIdle(hub)
  const before = hub.cpuSeconds()
  await action()
  await untilIdle(hub)
  return hub.cpuSeconds() - before
}

async function untilIdle(hub: BenchHub): Promise<void> {
  for (let before = -1; ; ) {
    const now = hub.cpuSeconds()
    if (now - before <= 0.02) return
    before = now
    await sleep(IDLE_MS)
  }
}

/** Pushes changes of known records, some at once. @param first the number of the first record. */
async function push(hub: BenchHub, key: string, first: number): Promise<void> {
  const [record_type = ''] = recordTypes(1)
  const template = museumPush(record_type, 0).replaceAll('PUSHED-', 'ITEM-')
  const end = first + PUSHES
  let next = first
  const pushAll = async () => {
    while (next < end) {
      const body = template.replaceAll('{number}', String(next).padStart(8, '0'))
      next += 1
      const headers = { 'Content-Type': 'application/json', 'X-API-KEY': key }
      const url = `http://127.0.0.1:${hub.process.port}/api/webhook/receive`
      const response = await fetch(url, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`A push failed: ${await response.text()}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: PUSHES_AT_ONCE }, pushAll))
}
