import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { cpuUsage } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { runInNewContext } from 'node:vm'

/** The time of {@link doFixedWork} on the reference machine. */
const REFERENCE_MS = 54
/** The processor time of {@link doFixedWork} that defines the processor second of the budget. */
const BUDGET_REFERENCE_MS = 21
const ROUNDS = 5

/**
 * @returns the factor by which this machine is slower than the reference machine, at least 1. The time limits of
 * guards against hanging tests are multiplied by it. The load of other programs is included.
 */
export function measureSlowness(): number {
  const times = Array.from({ length: ROUNDS }, timeFixedWork).toSorted((one, other) => one - other)
  const median = times[Math.floor(ROUNDS / 2)] ?? REFERENCE_MS
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  return Math.max(1, median / REFERENCE_MS) * Math.max(1, load)
}

/** The processor time of fixed work as a multiple of the one that defines the budget. */
function measureProcessor(): number {
  const before = cpuUsage()
  doFixedWork()
  const { user, system } = cpuUsage(before)
  return (user + system) / 1000 / BUDGET_REFERENCE_MS
}

/** By `factor`, processor times are divided to get those of the budget. With 95 % certainty, it is exact to `error`, a share of it. */
export type Scale = { factor: number; error: number }

/** Takes samples during a run, because the speed of a machine changes: one sample differs by half from another. */
export function createCalibration() {
  const samples = [measureProcessor()]
  return {
    sample: () => void samples.push(measureProcessor()),
    scale: () => estimateScale(samples),
  }
}

/**
 * Two runs of the same tests, whose samples are exact to 9 %, cost 295 and 350 seconds: what the samples do slows down by another
 * factor than the tests.
 */
const RUN_ERROR = 0.1

export function estimateScale(samples: readonly number[]): Scale {
  const count = samples.length
  const factor = samples.reduce((sum, one) => sum + one, 0) / count
  if (count < 2) return { factor, error: 1 }
  const squares = samples.reduce((sum, one) => sum + (one - factor) ** 2, 0)
  const sampleError = (2 * Math.sqrt(squares / (count - 1) / count)) / factor
  return { factor, error: Math.hypot(sampleError, RUN_ERROR) }
}

function timeFixedWork(): number {
  const start = performance.now()
  doFixedWork()
  return performance.now() - start
}

/**
 * Does what test processes do: they compile code, create many objects, run SQLite statements, and compute hashes. Where
 * programs share a core and its caches, these slow down by different factors.
 */
function doFixedWork(): void {
  hashText()
  compileFunctions()
  createObjects()
  runStatements()
}

function hashText(): void {
  let text = ''
  for (let index = 0; index < 6000; index += 1)
    text += JSON.stringify({ index, text: 'x'.repeat(20) })
  for (let round = 0; round < 20; round += 1) createHash('sha256').update(text).digest('hex')
}

function compileFunctions(): void {
  const body = Array.from(
    { length: 250 },
    (_, index) =>
      `function work${index}(a, b) { const list = [a, b, { sum: a + ${index} }]; return list.map((one) => String(one) + b) }\nwork${index}(1, 2)`,
  )
  runInNewContext(body.join('\n'))
}

function createObjects(): void {
  const objects = new Map<string, { index: number; text: string; list: number[] }>()
  for (let index = 0; index < 20_000; index += 1)
    objects.set(`key ${index}`, { index, text: String(index), list: [index, index + 1] })
}

function runStatements(): void {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, data TEXT); BEGIN')
  const insert = database.prepare('INSERT INTO rows (name, data) VALUES (?, ?)')
  for (let index = 0; index < 1500; index += 1)
    insert.run(`name ${(index * 7919) % 1500}`, JSON.stringify({ index, text: 'x'.repeat(50) }))
  database.exec('COMMIT; CREATE INDEX by_name ON rows (name)')
  for (let index = 0; index < 400; index += 1)
    database.prepare(`SELECT data ->> 'index' FROM rows WHERE name = ?`).get(`name ${index}`)
}
