import { SETTINGS } from '../packages/server/src/config/settings.ts'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { platformNames } from './platforms.ts'
import { peakMemory, runReader, startServer } from './processes.ts'
import { heading, report } from './report.ts'

const AT_ONCE = SETTINGS.HUB_PULL_CONCURRENCY.default
const REGISTERED_AT_ONCE = 8
const EVERY_SECOND = 1000

/** Pulls many platforms with some modules each, twice, compared with a program that only requests everything. */
export async function benchPlatforms(
  engine: Engine,
  platforms: number,
  modules: number,
): Promise<void> {
  const server = await startServer('./platforms-server.ts', [String(modules)], {})
  const hub = await startHub(engine, { HUB_PULL_CONCURRENCY: String(AT_ONCE) })
  const read = () => runReader('./read-platforms.ts', [server.port, platforms, modules, AT_ONCE])
  const tasks = platforms * modules
  const measure = async (name: string) => {
    const before = await read()
    const cpuBefore = hub.cpuSeconds()
    const { seconds, received, latencies } = await pull(hub)
    const cpuMicroseconds = ((hub.cpuSeconds() - cpuBefore) / received) * 1e6
    const yardstick = (before + (await read())) / 2
    const line = { bench: 'platforms', engine, goal: null } as const
    report({
      ...line,
      name,
      figure: yardstick / seconds,
      unit: '×',
      measured: `${seconds.toFixed(1)} s, ${(tasks / seconds).toFixed(0)} tasks/s, ${(received / seconds).toFixed(0)} records/s`,
      yardstick: `${tasks} GETs with json() ${yardstick.toFixed(1)} s`,
      cpuMicroseconds,
    })
    for (const [path, times] of Object.entries(latencies)) {
      report({
        ...line,
        name: `${name}, slowest GET ${path}`,
        figure: Math.max(...times),
        unit: 'ms',
      })
    }
  }
  try {
    const registering = performance.now()
    await registerAll(hub, server.port, platforms, modules)
    const seconds = (performance.now() - registering) / 1000
    heading(
      `platforms, ${engine}, ${platforms} platforms of ${modules} modules, ${AT_ONCE} at a time; registered in ${seconds.toFixed(1)} s`,
    )
    await measure('first load')
    await measure('nothing changed')
    const figure = peakMemory(hub.process.pid)
    report({
      bench: 'platforms',
      engine,
      name: 'peak memory of the hub',
      figure,
      unit: 'MB',
      goal: null,
    })
  } finally {
    await hub.stop()
    await server.stop()
  }
}

export async function registerAll(hub: BenchHub, port: number, platforms: number, modules: number) {
  const waiting = platformNames(platforms)
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      await register(hub, { port, name, modules })
    }
  }
  await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, work))
}

type Latencies = { pull: number[]; realtime: number[] }

/** Pulls, and requests the snapshot every second as an open dashboard does; in milliseconds. */
async function pull(
  hub: BenchHub,
): Promise<{ seconds: number; received: number; latencies: Latencies }> {
  const latencies: Latencies = { pull: [], realtime: [] }
  const time = async (path: string) => {
    const begun = performance.now()
    await hub.call('GET', path)
    return performance.now() - begun
  }
  const id = await startPull(hub)
  const { seconds, counts } = await waitForPull(
    hub,
    id,
    async () => {
      latencies.pull.push(await time(`/api/v1/pulls/${id}`))
      latencies.realtime.push(await time('/dashboard/realtime'))
    },
    EVERY_SECOND,
  )
  return { seconds, received: counts.received, latencies }
}
