/** The budget of `npm test` in processor seconds, and what a run has used of it. */
import type { Scale } from './calibrate.ts'
import { divideUsage, type ProcessUsage } from './usage.ts'

/** Lower the total whenever the tests become cheaper. */
export const BUDGET = { totalSeconds: 320, fileSeconds: 10 } as const

export type Costs = {
  /** Seconds, the largest first. `shared` is what no file caused: the runner, the PostgreSQL server, the bundle. */
  folders: [folder: string, seconds: number][]
  files: [file: string, seconds: number][]
  totalSeconds: number
  /** The share of all seconds to which they are exact, since the speed of the machine was measured by samples. */
  error: number
}

/**
 * @param totalMs of the runner and everything that it started.
 * @param filesOf the test files of an entry.
 */
export function sumCosts(
  usages: readonly ProcessUsage[],
  {
    totalMs,
    filesOf,
    scale,
  }: { totalMs: number; filesOf: (entry: string) => readonly string[]; scale: Scale },
): Costs {
  const toSeconds = (ms: number) => ms / scale.factor / 1000
  const files = new Map<string, number>()
  for (const usage of usages) {
    for (const [file, ms] of divideUsage(usage, filesOf(usage.entry))) {
      files.set(file, (files.get(file) ?? 0) + toSeconds(ms))
    }
  }
  const folders = new Map<string, number>()
  for (const [file, seconds] of files) {
    const folder = folderOf(file)
    folders.set(folder, (folders.get(folder) ?? 0) + seconds)
  }
  const lostMs = usages.reduce((sum, usage) => sum + usage.lostMs, 0)
  const totalSeconds = toSeconds(totalMs + lostMs)
  const measured = [...files.values()].reduce((sum, seconds) => sum + seconds, 0)
  folders.set('shared', totalSeconds - measured)
  return {
    folders: largestFirst(folders),
    files: largestFirst(files),
    ...{ totalSeconds, error: scale.error },
  }
}

/**
 * Whether other programs worked so much during a run that its processor times say little about its tests: programs
 * share the caches of the processors, and background jobs run more often in a run that takes longer.
 */
export function isDisturbed({ ownMs, machineMs }: { ownMs: number; machineMs: number }): boolean {
  return machineMs - ownMs > ownMs / 5
}

/** Sentences about what certainly exceeds {@link BUDGET}; empty if nothing does. */
export function findExcesses({ files, totalSeconds, error }: Costs): string[] {
  const limits: [subject: string, seconds: number, limit: number][] = [
    ['The quick tier', totalSeconds, BUDGET.totalSeconds],
    ...files.map(([file, seconds]): [string, number, number] => [
      file,
      seconds,
      BUDGET.fileSeconds,
    ]),
  ]
  return limits
    .filter(([, seconds, limit]) => seconds * (1 - error) > limit)
    .map(
      ([subject, seconds, limit]) =>
        `${subject} costs ${seconds.toFixed(1)} ± ${(seconds * error).toFixed(1)} processor seconds, more than ${limit}. ` +
        'Make tests cheaper or move them to the deep tier; see test/README.md.',
    )
}

/** `packages/server/test/http/csrf.test.ts` is in `server/test/http`, and all unit tests of a package are in its `src`. */
function folderOf(file: string): string {
  const [, name = '', area = '', ...rest] = file.split('/')
  return area === 'test' && rest.length > 1 ? `${name}/test/${rest[0]}` : `${name}/${area}`
}

function largestFirst(costs: Map<string, number>): [string, number][] {
  return [...costs].toSorted((one, other) => other[1] - one[1])
}
