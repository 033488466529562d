import { setTimeout as pause } from 'node:timers/promises'
import { WITH_METRICS } from '../packages/server/test/helpers/hub/scrape.ts'
import type { Engine } from './engines.ts'
import { type BenchHub, startHub } from './hub.ts'
import { startServer } from './processes.ts'
import { registerAll } from './pull-platforms.ts'
import { median } from './push-load.ts'
import { heading, report } from './report.ts'

const ROUNDS = 5
/** Longer than scrapes share a read of the database. */
const PAUSE_MS = 5500

type Scraped = { ms: number; bytes: number; series: number; readMs: number; longestBlockMs: number }

/** Scrapes the metrics of an idle hub with many platforms, as one Prometheus does. */
export async function benchScrape(
  engine: Engine,
  platforms: number,
  modules: number,
): Promise<void> {
  const server = await startServer('./platforms-server.ts', [String(modules)], {})
  const hub = await startHub(engine, WITH_METRICS)
  try {
    await registerAll(hub, server.port, platforms, modules)
    heading(`scrape, ${engine}, ${platforms} platforms of ${modules} modules`)
    const rounds: Scraped[] = []
    // The first scrape has the longest delay of the registrations.
    await scrape(hub)
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(PAUSE_MS)
      const cpuBefore = hub.cpuSeconds()
      const scraped = await scrape(hub)
      const cpuMs = (hub.cpuSeconds() - cpuBefore) * 1000
      await pause(200)
      // The delay that the scrape itself has caused is in the next one.
      const { longestBlockMs } = await scrape(hub)
      rounds.push({ ...scraped, longestBlockMs })
      report({
        ...lineOf(engine, `round ${round + 1}: CPU of a scrape`),
        figure: cpuMs,
        unit: 'ms',
      })
    }
    const middle = (figure: keyof Scraped) => median(rounds.map((round) => round[figure]))
    const measured = `${middle('series')} series, ${Math.round(middle('bytes') / 1000)} kB`
    report({ ...lineOf(engine, 'duration'), figure: middle('ms'), measured })
    report({ ...lineOf(engine, 'of it, reading the database'), figure: middle('readMs') })
    report({
      ...lineOf(engine, 'longest delay of the event loop'),
      figure: middle('longestBlockMs'),
    })
  } finally {
    await hub.stop()
    await server.stop()
  }
}

function lineOf(engine: Engine, name: string) {
  return { bench: 'scrape', engine, name, unit: 'ms', goal: null } as const
}

async function scrape({ process: { port } }: BenchHub): Promise<Scraped> {
  const headers = { authorization: `Bearer ${WITH_METRICS.HUB_METRICS_TOKEN}` }
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  const text = await response.text()
  const ms = performance.now() - begun
  const figureOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  return {
    ...{ ms, bytes: Buffer.byteLength(text) },
    series: text.split('\n').filter((line) => /^[a-z]/.test(line)).length,
    readMs: figureOf('recordhub_database_read_seconds') * 1000,
    longestBlockMs: figureOf('nodejs_eventloop_lag_max_seconds') * 1000,
  }
}
