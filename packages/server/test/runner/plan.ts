/** Which test files run, in which processes and in which order. */

import type { Random } from './random.ts'

/** The files that one process runs. */
export type Job = { name: string; files: string[] }

/** What the global setup provides for the tests of a run. */
export type Needs = {
  postgres: boolean
  browser: boolean
  /** Hubs of process tests start from a bundle, not from the source files. */
  bundle: boolean
}

/**
 * How the files of a folder share processes. Starting a process and loading the server costs more than most
 * files do, so folders whose files are quick and touch nothing outside of the process share a few of them.
 * In the order in which they start: what takes longest starts first.
 */
const FOLDERS: readonly { name: string; pattern: RegExp; processes: number | 'each' }[] = [
  { name: 'e2e', pattern: /^packages\/server\/test\/e2e\//, processes: 4 },
  { name: 'http', pattern: /^packages\/server\/test\/http\//, processes: 6 },
  { name: 'faults', pattern: /^packages\/server\/test\/faults\//, processes: 'each' },
  { name: 'process', pattern: /^packages\/server\/test\/process\//, processes: 'each' },
  // These mostly wait for servers that they stop or silence.
  {
    name: 'outages',
    pattern: /\/contract\/postgres\/(?:outages|unresponsive-server|opening|abandoned-pulls)/,
    processes: 'each',
  },
  { name: 'contract', pattern: /^packages\/server\/test\/contract\//, processes: 6 },
  { name: 'test', pattern: /^packages\/[^/]+\/test\//, processes: 'each' },
  { name: 'unit', pattern: /^packages\/[^/]+\/src\//, processes: 2 },
]

/** Files whose path contains one of the words; all of them where there are no words. */
export function selectFiles(files: readonly string[], words: readonly string[]): string[] {
  if (words.length === 0) return [...files]
  return files.filter((file) => words.some((word) => file.includes(word)))
}

/** What the files need of the global setup; null for nothing at all, as unit tests. The deep tier starts source files. */
export function findNeeds(files: readonly string[], isDeep: boolean): Needs | null {
  const folders = new Set(files.map((file) => FOLDERS[folderOf(file)]?.name))
  folders.delete('unit')
  if (folders.size === 0) return null
  const browser = folders.delete('e2e')
  // Hubs of browser tests use SQLite.
  return { postgres: folders.size > 0, browser, bundle: folders.size > 0 && !isDeep }
}

/**
 * Divides files among processes.
 * @param random where the order is to be shuffled; null for the order of {@link FOLDERS}.
 */
export function planJobs(files: readonly string[], random: Random | null = null): Job[] {
  const jobs = FOLDERS.flatMap(({ name, pattern, processes }, index) => {
    const matches = files.filter((file) => pattern.test(file) && folderOf(file) === index)
    const ordered = random ? shuffle(matches, random) : matches.toSorted()
    if (processes === 'each') return ordered.map((file) => ({ name: file, files: [file] }))
    return split(ordered, processes).map((part, number) => ({
      name: part.length === 1 ? String(part[0]) : `${name}-${number + 1}`,
      files: part,
    }))
  })
  return random ? shuffle(jobs, random) : jobs
}

export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

function folderOf(file: string): number {
  return FOLDERS.findIndex(({ pattern }) => pattern.test(file))
}

/** Deals files out like cards, so that neighbours, which often cost alike, go to different processes. */
function split(files: readonly string[], count: number): string[][] {
  const parts: string[][] = Array.from({ length: Math.min(count, files.length) }, () => [])
  for (const [index, file] of files.entries()) parts[index % parts.length]?.push(file)
  return parts
}
