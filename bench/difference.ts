/** What a pull by digest costs: with nothing changed, with one changed record, and what versions cost otherwise. */
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, waitForPull } from './hub.ts'
import { platformNames, recordTypes } from './platforms.ts'
import { peakMemory, resetPeakMemory, type ServerProcess, startServer } from './processes.ts'
import { heading, report } from './report.ts'
import { smallPush } from './small-record.ts'

const PLATFORMS = 10
const MODULES = 100
const PUSHES = 3000
const PUSHES_AT_ONCE = 16
/** The response lists 1,000 tasks. */
const POLL_MS = 1000

/** Pulls these records in one module, then in 1,000 modules. */
export async function benchDifference(engine: Engine, records: number): Promise<void> {
  await measureOneModule(engine, records)
  heading(
    `difference, ${engine}, ${records} records of 350 bytes in ${PLATFORMS * MODULES} modules`,
  )
  const plain = await measureSpread(engine, records, 'none')
  const versioned = await measureSpread(engine, records, 'versions')
  const line = { bench: 'difference', engine } as const
  const { unchanged } = versioned
  report({
    ...line,
    name: 'nothing changed, all modules',
    figure: unchanged.seconds,
    unit: 's',
    goal: { atMost: 5 },
    measured: `CPU ${unchanged.cpuSeconds.toFixed(2)} s, ${unchanged.requests} requests, ${unchanged.bytes} bytes compressed`,
    yardstick: `without digests ${plain.unchanged.seconds.toFixed(2)} s, CPU ${plain.unchanged.cpuSeconds.toFixed(2)} s`,
  })
  report({
    ...line,
    name: 'nothing changed, peak memory of the hub',
    figure: unchanged.memory,
    unit: 'MB',
    goal: { atMost: 300 },
  })
  report({
    ...line,
    name: 'first pull, CPU with versions',
    figure: versioned.first.cpuSeconds / plain.first.cpuSeconds,
    unit: '×',
    goal: { atMost: 1.05 },
    measured: `${versioned.first.cpuSeconds.toFixed(2)} s`,
    yardstick: `without versions ${plain.first.cpuSeconds.toFixed(2)} s`,
  })
  report({
    ...line,
    name: 'push, CPU with versions',
    figure: versioned.pushCpuSeconds / plain.pushCpuSeconds,
    unit: '×',
    goal: { atMost: 1.03 },
    measured: `${((versioned.pushCpuSeconds / PUSHES) * 1e6).toFixed(0)} µs`,
    yardstick: `without versions ${((plain.pushCpuSeconds / PUSHES) * 1e6).toFixed(0)} µs`,
  })
}

type Measured = { seconds: number; cpuSeconds: number }

async function measureSpread(engine: Engine, records: number, versions: 'versions' | 'none') {
  const server = await startServer(
    './digest-server.ts',
    [records, MODULES, PLATFORMS, versions].map(String),
    {},
  )
  const hub = await startHub(engine)
  try {
    const keys: string[] = []
    for (const name of platformNames(PLATFORMS)) {
      keys.push((await register(hub, { port: server.port, name, modules: MODULES })).key)
    }
    const first = await pull(hub)
    await takeTraffic(server)
    resetPeakMemory(hub.process.pid)
    const unchanged = { ...(await pull(hub)), ...(await takeTraffic(server)) }
    const memory = peakMemory(hub.process.pid)
    const pushCpuSeconds = await push(hub, keys[0] ?? '')
    return { first, unchanged: { ...unchanged, memory }, pushCpuSeconds }
  } finally {
    await hub.stop()
    await server.stop()
  }
}

/** One changed record of one module. */
async function measureOneModule(engine: Engine, records: number): Promise<void> {
  heading(`difference, ${engine}, ${records} records of 350 bytes in one module`)
  const server = await startServer(
    './digest-server.ts',
    [String(records), '1', '1', 'versions'],
    {},
  )
  const hub = await startHub(engine)
  try {
    await register(hub, { port: server.port })
    await pull(hub)
    await pull(hub)
    const [module = ''] = recordTypes(1)
    await fetch(`http://127.0.0.1:${server.port}/change/bench-1/${module}`, { method: 'POST' })
    await takeTraffic(server)
    const { cpuSeconds } = await pull(hub)
    const { requests, bytes } = await takeTraffic(server)
    const line = { bench: 'difference', engine } as const
    report({
      ...line,
      name: 'one changed record: requests',
      figure: requests,
      unit: 'requests',
      goal: { atMost: 3 },
      measured: `CPU ${cpuSeconds.toFixed(2)} s`,
    })
    report({
      ...line,
      name: 'one changed record: compressed bytes',
      figure: bytes / 1000,
      unit: 'kB',
      goal: { atMost: 100 },
    })
  } finally {
    await hub.stop()
    await server.stop()
  }
}

/** Compares at once also if the last digest was so slow that the next one is not due. */
async function pull(hub: BenchHub): Promise<Measured> {
  const before = hub.cpuSeconds()
  const { pull: started } = await hub.call('POST', '/api/v1/pulls', { mode: 'digest' })
  const { seconds } = await waitForPull(hub, Object(started).id, undefined, POLL_MS)
  return { seconds, cpuSeconds: hub.cpuSeconds() - before }
}

/** Pushes new records, some at once. @returns the processor time of the hub. */
async function push(hub: BenchHub, key: string): Promise<number> {
  const before = hub.cpuSeconds()
  const template = smallPush('item-1')
  let next = 0
  const pushAll = async () => {
    while (next < PUSHES) {
      next += 1
      const body = template.replaceAll('{number}', String(next).padStart(8, '0'))
      const headers = { 'Content-Type': 'application/json', 'X-API-KEY': key }
      const url = `http://127.0.0.1:${hub.process.port}/api/webhook/receive`
      const response = await fetch(url, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`A push failed: ${await response.text()}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: PUSHES_AT_ONCE }, pushAll))
  return hub.cpuSeconds() - before
}

async function takeTraffic({ port }: ServerProcess): Promise<{ requests: number; bytes: number }> {
  const { requests, bytes } = Object(await (await fetch(`http://127.0.0.1:${port}/traffic`)).json())
  return { requests, bytes }
}
