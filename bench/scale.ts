import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchDatabase, Engine } from './engines.ts'
import { type Growth, writeGrowthPlot } from './growth-plot.ts'
import { type BenchHub, signIn, startHubProcess } from './hub.ts'
import { describeMachine } from './machine.ts'
import { median } from './push-load.ts'
import { heading, report } from './report.ts'
import { prepareData } from './scale-data.ts'
import { listOperations, type Operation } from './scale-operations.ts'

/** The yardstick. */
const SMALLEST = 10_000
const STARTS = 5
const ROUNDS = 10
const REQUESTS_PER_ROUND = 5
/** A slow operation is measured fewer times. */
const MAX_MS = 10_000

type Hub = { records: number; hub: BenchHub }

/**
 * Measures hubs with 10,000 records, every power of ten up to `records`, and `records`. They run side by side, and
 * each operation alternates between them.
 * @param folder keeps the databases, and uses those that exist; by default a temporary folder.
 * @param plot the file of the plot; none by default.
 */
export async function benchScale(
  engine: Engine,
  records: number,
  { folder, plot }: { folder?: string | undefined; plot?: string | undefined },
): Promise<void> {
  if (engine !== 'SQLite') return
  const parent = folder ?? mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const sizes = [SMALLEST]
  for (let size = SMALLEST * 10; size < records; size *= 10) sizes.push(size)
  sizes.push(records)
  heading(`scale, ${engine}, ${sizes.join(', ')} small records in 1,000 modules`)
  const hubs: Hub[] = []
  try {
    const databases = new Map<number, BenchDatabase>()
    for (const size of [0, ...sizes]) {
      databases.set(size, await prepareData(join(parent, String(size)), size))
    }
    const starts = await measureStarts(databases)
    reportStarts(engine, starts)
    for (const [size, database] of databases) {
      if (size === 0) continue
      hubs.push({ records: size, hub: await signIn(await startHubProcess(database), database) })
    }
    const growths: Growth[] = [withoutEmpty(starts)]
    for (const operation of listOperations()) {
      const growth = await measure(engine, operation, hubs)
      if (operation.isPlotted !== false) growths.push(growth)
    }
    if (plot !== undefined) writeGrowthPlot(plot, growths, describeMachine())
  } finally {
    for (const { hub } of hubs) await hub.stop()
    if (folder === undefined) rmSync(parent, { recursive: true, force: true })
  }
}

/** From the start of the process until it is ready; alternates between the databases. */
async function measureStarts(databases: Map<number, BenchDatabase>): Promise<Growth> {
  const times = new Map<number, number[]>()
  for (let round = 0; round < STARTS; round++) {
    for (const [records, database] of databases) {
      const begun = performance.now()
      const hub = await startHubProcess(database)
      const response = await fetch(`http://127.0.0.1:${hub.port}/readyz`)
      const time = performance.now() - begun
      await response.arrayBuffer()
      await hub.stop()
      if (!response.ok) throw new Error(`The hub is not ready: ${response.status}`)
      times.set(records, [...(times.get(records) ?? []), time])
    }
  }
  return { name: 'start to ready', points: toPoints(times) }
}

function reportStarts(engine: Engine, starts: Growth): void {
  const first = starts.points[0]
  const last = starts.points.at(-1)
  if (!first || !last) return
  report({
    ...{ bench: 'scale', engine, name: starts.name, figure: last.ms / first.ms, unit: '×' },
    goal: { atMost: 1.5 },
    measured: `${describeTime(last.ms)} with ${last.records} records`,
    yardstick: `${describeTime(first.ms)} with none`,
  })
}

const withoutEmpty = ({ name, points }: Growth): Growth => ({
  name,
  points: points.filter(({ records }) => records > 0),
})

async function measure(engine: Engine, operation: Operation, hubs: Hub[]): Promise<Growth> {
  const prepared = await Promise.all(
    hubs.map(async ({ records, hub }) => ({
      records,
      request: await operation.prepare(hub, records),
    })),
  )
  const times = new Map(hubs.map(({ records }): [number, number[]] => [records, []]))
  const elapsed = new Map<number, number>()
  let found = ''
  // Not measured: the first request reads from the disk.
  for (const { request } of prepared) await request()
  for (let round = 0; round < ROUNDS; round++) {
    for (const { records, request } of prepared) {
      const own = times.get(records) ?? []
      for (let count = 0; count < REQUESTS_PER_ROUND; count++) {
        const before = elapsed.get(records) ?? 0
        if (before > MAX_MS) continue
        const begun = performance.now()
        const { units, result } = await request()
        const time = performance.now() - begun
        elapsed.set(records, before + time)
        own.push(time / units)
        found = result
      }
    }
  }
  const growth = { name: operation.name, points: toPoints(times) }
  reportGrowth(engine, operation, growth, found)
  return growth
}

function reportGrowth(
  engine: Engine,
  { name, goals }: Operation,
  { points }: Growth,
  found: string,
): void {
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return
  const line = { bench: 'scale', engine } as const
  report({
    ...{ ...line, name, figure: last.ms / first.ms, unit: '×', goal: goals.ratio },
    measured: points.map(({ records, ms }) => `${describeTime(ms)} with ${records}`).join(', '),
    yardstick: found,
  })
  if (goals.ms)
    report({ ...line, name: `${name}, time`, figure: last.ms, unit: 'ms', goal: goals.ms })
}

function toPoints(times: Map<number, number[]>): Growth['points'] {
  return [...times].map(([records, all]) => ({ records, ms: median(all) }))
}

const describeTime = (ms: number) => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`
