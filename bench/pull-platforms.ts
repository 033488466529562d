import { SETTINGS } from '../packages/server/src/config/settings.ts'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { platformNames } from './platforms.ts'
import { cpuSeconds, peakMemory, runReader, startServer } from './processes.ts'

const AT_ONCE = SETTINGS.HUB_PULL_CONCURRENCY.default
const REGISTERED_AT_ONCE = 8

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
  const report = async (name: string) => {
    const before = await read()
    const cpuBefore = cpuSeconds(hub.process.pid)
    const { seconds, received, latencies } = await pull(hub)
    const cpu = ((cpuSeconds(hub.process.pid) - cpuBefore) / tasks) * 1000
    const yardstick = (before + (await read())) / 2
    const rate = `${(tasks / seconds).toFixed(0)} tasks/s, ${(received / seconds).toFixed(0)} records/s`
    process.stdout.write(
      [
        `  ${name} ${seconds.toFixed(1)} s, ${rate}; ${tasks} GETs with json() ${yardstick.toFixed(1)} s; ratio ${(yardstick / seconds).toFixed(2)}`,
        `    processor time of the hub ${cpu.toFixed(2)} ms a task`,
        `    meanwhile, slowest of ${latencies.pull.length}: GET /api/v1/pulls/{id} ${Math.max(...latencies.pull).toFixed(0)} ms, /dashboard/realtime ${Math.max(...latencies.snapshot).toFixed(0)} ms`,
        '',
      ].join('\n'),
    )
  }
  try {
    const registering = performance.now()
    await registerAll(hub, server.port, platforms, modules)
    const seconds = (performance.now() - registering) / 1000
    process.stdout.write(
      `pull, ${engine}, ${platforms} platforms of ${modules} modules, ${AT_ONCE} at a time; registered in ${seconds.toFixed(1)} s\n`,
    )
    await report('first load     ')
    await report('nothing changed')
    const memory = Math.round(peakMemory(hub.process.pid) / 1e6)
    process.stdout.write(`  peak memory of the hub ${memory} MB\n`)
  } finally {
    await hub.stop()
    await server.stop()
  }
}

async function registerAll(hub: BenchHub, port: number, platforms: number, modules: number) {
  const waiting = platformNames(platforms)
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      await register(hub, { port, name, modules })
    }
  }
  await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, work))
}

type Latencies = { pull: number[]; snapshot: number[] }

/** Pulls, and requests the snapshot every second as an open dashboard does; in milliseconds. */
async function pull(
  hub: BenchHub,
): Promise<{ seconds: number; received: number; latencies: Latencies }> {
  const latencies: Latencies = { pull: [], snapshot: [] }
  const time = async (path: string) => {
    const begun = performance.now()
    await hub.call('GET', path)
    return performance.now() - begun
  }
  const id = await startPull(hub)
  const { seconds, counts } = await waitForPull(hub, id, async () => {
    latencies.pull.push(await time(`/api/v1/pulls/${id}`))
    latencies.snapshot.push(await time('/dashboard/realtime'))
  })
  return { seconds, received: counts.received, latencies }
}
