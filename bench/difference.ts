/** What a pull by digest costs: with nothing changed, with one changed record, and what versions cost otherwise. */

import { measureCosts } from './difference-costs.ts'
import { createDatabase, type Engine } from './engines.ts'
import { type BenchHub, register, signIn, startHub, startHubProcess, waitForPull } from './hub.ts'
import { platformNames, recordTypes } from './platforms.ts'
import {
  currentMemory,
  peakMemory,
  resetPeakMemory,
  type ServerProcess,
  startServer,
} from './processes.ts'
import { heading, report } from './report.ts'

const PLATFORMS = 10
const MODULES = 100
/** The response lists 1,000 tasks. */
const POLL_MS = 1000
/** With more records, a read of all lists takes minutes, and a comparison of first pulls an hour. */
const MAX_COMPARED = 1_000_000
/** A first pull of ten million records takes longer than the default allows. */
const SETTINGS = { HUB_PULL_TIMEOUT_SECONDS: '86400' }

/** Pulls these records in one module, then in 1,000 modules. */
export async function benchDifference(engine: Engine, records: number): Promise<void> {
  const isCompared = records <= MAX_COMPARED
  await measureOneModule(engine, records)
  heading(
    `difference, ${engine}, ${records} records of 350 bytes in ${PLATFORMS * MODULES} modules`,
  )
  const plain = isCompared ? await measureSpread(engine, records, 'none') : null
  const unchanged = await measureSpread(engine, records, 'versions')
  const line = { bench: 'difference', engine } as const
  report({
    ...line,
    name: 'nothing changed, all modules',
    figure: unchanged.seconds,
    unit: 's',
    goal: { atMost: 5 },
    measured: `CPU ${unchanged.cpuSeconds.toFixed(2)} s, ${unchanged.requests} requests, ${unchanged.bytes} bytes compressed`,
    ...(plain && {
      yardstick: `without digests ${plain.seconds.toFixed(2)} s, CPU ${plain.cpuSeconds.toFixed(2)} s`,
    }),
  })
  report({
    ...line,
    name: 'nothing changed, peak memory of a hub that was restarted since the first pull',
    figure: unchanged.memory,
    unit: 'MB',
    goal: { atMost: 300 },
    measured: `${unchanged.atStart.toFixed(0)} MB before the first pull, ${unchanged.retained.toFixed(0)} MB after it`,
  })
  if (isCompared) await measureCosts(engine, records)
}

type Measured = { seconds: number; cpuSeconds: number }

async function measureSpread(engine: Engine, records: number, versions: 'versions' | 'none') {
  const server = await startServer(
    './digest-server.ts',
    [records, MODULES, PLATFORMS, versions].map(String),
    {},
  )
  const database = await createDatabase(engine)
  const start = async () => signIn(await startHubProcess(database, SETTINGS), database)
  let hub = await start()
  try {
    for (const name of platformNames(PLATFORMS)) {
      await register(hub, { port: server.port, name, modules: MODULES })
    }
    const atStart = currentMemory(hub.process.pid)
    await pull(hub)
    await takeTraffic(server)
    const retained = currentMemory(hub.process.pid)
    // A process keeps most of the memory of a first pull.
    await hub.process.stop()
    hub = await start()
    resetPeakMemory(hub.process.pid)
    const unchanged = { ...(await pull(hub)), ...(await takeTraffic(server)) }
    const memory = peakMemory(hub.process.pid)
    return { ...unchanged, memory, atStart, retained }
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
  const hub = await startHub(engine, SETTINGS)
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

async function takeTraffic({ port }: ServerProcess): Promise<{ requests: number; bytes: number }> {
  const { requests, bytes } = Object(await (await fetch(`http://127.0.0.1:${port}/traffic`)).json())
  return { requests, bytes }
}
