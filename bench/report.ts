/** The lines that the benchmarks print: what was measured, its yardstick in the same run, and the goal. */
import { writeFileSync } from 'node:fs'
import type { Engine } from './engines.ts'

/** A goal in the unit of its line. */
export type Goal = { atLeast: number } | { atMost: number }

export type Line = {
  bench: string
  engine: Engine
  name: string
  /** The compared figure: a ratio to the yardstick (`×`), or a quantity. */
  figure: number
  unit: '×' | 'requests' | 'MB' | 'kB' | 'ms' | 's' | 'µs'
  goal: Goal | null
  /** The measurement behind the figure, such as `20577/s, p50 2.3 ms`. */
  measured?: string
  /** The yardstick and its measurement, such as `bare node:http 49288/s`. */
  yardstick?: string
  /** Processor time of the hub and of its database, per record or push. */
  cpuMicroseconds?: number
}

const lines: Line[] = []

/** Prints a line, and adds it to the table and the JSON file. */
export function report(line: Line): void {
  lines.push(line)
  const { measured, yardstick, cpuMicroseconds } = line
  const parts = [
    ...(measured === undefined ? [] : [measured]),
    ...(yardstick === undefined ? [] : [yardstick]),
    `${format(line)}${line.goal ? ` (goal ${formatGoal(line.goal, line.unit)}: ${isReached(line) ? 'reached' : 'missed'})` : ''}`,
    ...(cpuMicroseconds === undefined ? [] : [`CPU ${cpuMicroseconds.toFixed(1)} µs per record`]),
  ]
  process.stdout.write(`  ${line.name.padEnd(44)} ${parts.join('; ')}\n`)
}

/** Prints the heading of the following lines. */
export function heading(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** One row per line that has a goal; all lines if none has one. */
export function printTable(): void {
  const withGoal = lines.filter(({ goal }) => goal)
  const rows = (withGoal.length === 0 ? lines : withGoal).map((line) => [
    line.bench,
    line.engine,
    line.name,
    format(line),
    ...(line.goal
      ? [formatGoal(line.goal, line.unit), isReached(line) ? 'reached' : 'missed']
      : ['', '']),
  ])
  if (rows.length === 0) return
  const table = [['benchmark', 'engine', 'line', 'measured', 'goal', ''], ...rows]
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  )
  const text = table.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join('  '))
  process.stdout.write(`\n${text.map((row) => row.trimEnd()).join('\n')}\n`)
}

/** Writes all lines and a description of the run. */
export function writeJson(path: string, run: Record<string, unknown>): void {
  writeFileSync(path, `${JSON.stringify({ ...run, lines }, null, 2)}\n`)
}

function isReached({ figure, goal }: Line): boolean {
  return !goal || ('atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost)
}

function format({ figure, unit }: Pick<Line, 'figure' | 'unit'>): string {
  const digits = unit === '×' ? 2 : unit === 'MB' || unit === 'requests' ? 0 : 1
  return `${figure.toFixed(digits)} ${unit}`
}

function formatGoal(goal: Goal, unit: Line['unit']): string {
  return 'atLeast' in goal
    ? `≥ ${format({ figure: goal.atLeast, unit })}`
    : `≤ ${format({ figure: goal.atMost, unit })}`
}
