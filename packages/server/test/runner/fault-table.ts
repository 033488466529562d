/** The result of `npm run test:faults`: one row for each fault and engine. */
import type { FaultResult } from '../helpers/process/fault-report.ts'

type Engine = FaultResult['engine']

/** The engines of each fault that a complete run reports, in the order of the table. */
export type ExpectedFaults = Readonly<Record<string, readonly Engine[]>>

/** Adds up the rows of the same fault and engine, which several tests may report, and sorts them. */
export function mergeRows(rows: readonly FaultResult[], expected: ExpectedFaults): FaultResult[] {
  const merged = new Map<string, FaultResult>()
  for (const row of rows) {
    const key = keyOf(row.fault, row.engine)
    const other = merged.get(key)
    merged.set(key, other ? addRows(other, row) : row)
  }
  const order = expectedKeys(expected)
  const rankOf = ({ fault, engine }: FaultResult) => {
    const rank = order.indexOf(keyOf(fault, engine))
    return rank === -1 ? order.length : rank
  }
  return [...merged.values()].toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** What is wrong with a complete run: missing rows, unknown rows, and lost or duplicated writes. */
export function findFaultIssues(
  rows: readonly FaultResult[],
  expected: ExpectedFaults,
  { isComplete }: { isComplete: boolean },
): string[] {
  const known = expectedKeys(expected)
  const reported = rows.map(({ fault, engine }) => keyOf(fault, engine))
  const missing = isComplete ? known.filter((key) => !reported.includes(key)) : []
  return [
    ...missing.map((key) => `No test reported ${key}.`),
    ...reported
      .filter((key) => !known.includes(key))
      .map((key) => `helpers/process/faults.ts does not list ${key}.`),
    ...rows
      .filter(({ tries }) => tries === 0)
      .map(({ fault, engine }) => `${keyOf(fault, engine)} was not caused.`),
    ...rows
      .filter(({ lost, duplicated }) => (lost ?? 0) + duplicated > 0)
      .map((row) => `${keyOf(row.fault, row.engine)} lost or duplicated acknowledged writes.`),
  ]
}

/** The rows and their total as a Markdown table. */
export function formatFaultTable(rows: readonly FaultResult[]): string[] {
  const [first, ...others] = rows
  if (!first) return []
  const total = others.reduce(addRows, first)
  return [
    '| fault | engine | tries | acknowledged | lost | duplicated | recovered in |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...rows.map((row) => formatRow(row.fault, row.engine, row)),
    formatRow('**Total**', '', total),
  ]
}

function formatRow(fault: string, engine: string, row: FaultResult): string {
  const counts = [row.tries, row.acknowledged, row.lost, row.duplicated]
  const cells = [fault, engine, ...counts.map(formatCount), formatRecovery(row.recoveredMs)]
  return `| ${cells.join(' | ')} |`
}

function formatCount(count: number | null): string {
  return count === null ? '–' : count.toLocaleString('en-US')
}

/** The longest recovery; a dash if there was nothing to recover from. */
function formatRecovery(milliseconds: number | null): string {
  return milliseconds === null ? '–' : `${(milliseconds / 1000).toFixed(1)} s`
}

function addRows(one: FaultResult, other: FaultResult): FaultResult {
  const recoveries = [one.recoveredMs, other.recoveredMs].filter((ms) => ms !== null)
  return {
    ...one,
    tries: one.tries + other.tries,
    acknowledged: one.acknowledged + other.acknowledged,
    lost: one.lost === null ? other.lost : one.lost + (other.lost ?? 0),
    duplicated: one.duplicated + other.duplicated,
    recoveredMs: recoveries.length === 0 ? null : Math.max(...recoveries),
  }
}

function expectedKeys(expected: ExpectedFaults): string[] {
  return Object.entries(expected).flatMap(([fault, engines]) =>
    engines.map((engine) => keyOf(fault, engine)),
  )
}

function keyOf(fault: string, engine: Engine): string {
  return `"${fault}" on ${engine}`
}
