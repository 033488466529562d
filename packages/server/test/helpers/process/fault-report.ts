/** The table of `npm run test:faults`: one row for each fault and engine. */
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import type { Comparison } from './ledger.ts'

/** `lost` is null for a fault that destroys synced data, so that the hub cannot keep it. */
type FaultComparison = Omit<Comparison, 'lost'> & { lost: number | null }

/** A row of the table. */
export type FaultResult = FaultComparison & {
  /** For example `SIGKILL during pushes`. */
  fault: string
  engine: 'SQLite' | 'PostgreSQL'
  /** How often the test caused the fault. */
  tries: number
  /** The longest time from the end of the cause to the first success, in milliseconds; null if there was none to wait for. */
  recoveredMs: number | null
}

/** Measures how a hub recovers from a fault. */
export type FaultReport = {
  /** Call it each time the test causes the fault. */
  caused: () => void
  /** Call it when the cause ends: space is free again, the process is started again, … */
  ended: () => void
  /** Call it when the hub has succeeded again, for example with the first acknowledged push. */
  recovered: () => void
  /** Adds the row to the table. Call it before the assertions, so that a failure is in the table too. */
  save: (comparison: FaultComparison) => void
}

/** The file of JSON lines that receives the rows. Without it, the test runs without a table. */
const FILE = env['TEST_FAULT_REPORT']

export function createFaultReport(fault: string, engine: FaultResult['engine']): FaultReport {
  let tries = 0
  let endedAt: number | null = null
  let recoveredMs: number | null = null
  return {
    caused: () => {
      tries += 1
    },
    ended: () => {
      endedAt = performance.now()
    },
    recovered: () => {
      if (endedAt === null) return
      recoveredMs = Math.max(recoveredMs ?? 0, performance.now() - endedAt)
      endedAt = null
    },
    save({ acknowledged, lost, duplicated }) {
      if (FILE === undefined) return
      const row: FaultResult = {
        ...{ fault, engine, tries, acknowledged, lost, duplicated },
        recoveredMs: recoveredMs === null ? null : Math.round(recoveredMs),
      }
      appendFileSync(FILE, `${JSON.stringify(row)}\n`)
    },
  }
}
