import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, runReader, startServer } from './processes.ts'
import type { DataName } from './records-data.ts'
import { heading, report } from './report.ts'

/** As a share of the records per second of `response.json()`. */
const GOALS = {
  small: { SQLite: { first: 1, again: 1.5 }, PostgreSQL: { first: 0.4, again: 0.8 } },
  museum: { SQLite: { first: 0.6, again: 1.5 }, PostgreSQL: { first: 0.3, again: 0.8 } },
} as const
/** The time until everything is searchable, as a multiple of the pull's time. */
const SEARCHABLE_GOAL = 1.5
const MEMORY_GOAL = 300
const POLL_MS = 50

/** Pulls one document with many records, twice, compared with a program that only reads it. */
export async function benchPull(engine: Engine, data: DataName, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [data, String(records)], {})
  const hub = await startHub(engine)
  try {
    await register(hub, platform)
    heading(`pull, ${engine}, ${records} ${data} records in one document`)
    const url = `http://127.0.0.1:${platform.port}/bench-1/api/hub/records/item-1`
    const read = () => runReader('./read-document.ts', [url])
    const goals = GOALS[data][engine]
    const before = await read()
    const first = await pull(hub)
    const { searchable } = first
    const between = await read()
    const again = await pull(hub)
    const after = await read()
    const line = { bench: 'pull', engine, unit: '×' } as const
    for (const { name, measured, yardstick, goal } of [
      { name: 'first load', measured: first, yardstick: (before + between) / 2, goal: goals.first },
      {
        name: 'nothing changed',
        measured: again,
        yardstick: (between + after) / 2,
        goal: goals.again,
      },
    ]) {
      const { seconds, cpuSeconds } = measured
      report({
        ...line,
        name: `${data}, ${name}`,
        figure: yardstick / seconds,
        goal: { atLeast: goal },
        measured: `${seconds.toFixed(2)} s, ${Math.round(records / seconds)} records/s`,
        yardstick: `response.json() ${yardstick.toFixed(2)} s`,
        cpuMicroseconds: (cpuSeconds / records) * 1e6,
      })
    }
    report({
      ...line,
      name: `${data}, everything searchable`,
      figure: searchable / first.seconds,
      goal: { atMost: SEARCHABLE_GOAL },
      measured: `${searchable.toFixed(2)} s after the start of the pull`,
      yardstick: `the pull ${first.seconds.toFixed(2)} s`,
    })
    report({
      ...line,
      name: `${data}, peak memory of the hub`,
      figure: peakMemory(hub.process.pid),
      unit: 'MB',
      goal: { atMost: MEMORY_GOAL },
    })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

type MeasuredPull = { seconds: number; searchable: number; cpuSeconds: number }

/** Times in seconds: of the pull as the hub reports it, and from its start until the search index has caught up. */
async function pull(hub: BenchHub): Promise<MeasuredPull> {
  const before = hub.cpuSeconds()
  const { seconds, started_at } = await waitForPull(hub, await startPull(hub))
  const cpuSeconds = hub.cpuSeconds() - before
  await waitUntilSearchable(hub)
  return { seconds, cpuSeconds, searchable: (Date.now() - Date.parse(started_at ?? '')) / 1000 }
}

export async function waitUntilSearchable(hub: BenchHub): Promise<void> {
  while ((await hub.call('GET', '/api/v1/search/status'))['lag'] !== 0) await sleep(POLL_MS)
}
