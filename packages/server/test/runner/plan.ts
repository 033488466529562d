/** Selects the test files of a run and assigns them to processes in their order. */
import type { Random } from './random.ts'

/** The files that one process runs. */
export type Job = { name: string; files: string[] }

/** The resources that the global setup provides for the tests of a run. */
export type Needs = {
  postgres: boolean
  browser: boolean
  /** Hubs of process tests start from a bundle, not from the source files. */
  bundle: boolean
  /** Process tests compile the types of published packages. */
  typescript: boolean
}

type Folder = {
  name: string
  pattern: RegExp
  processes: number
  /** In the deep tier, each of its files is a part, because together their long forms take many minutes. */
  isLong?: true
}

/**
 * The number of processes for the files of a folder. Starting a process and loading the server takes longer than most
 * files, so the files of a folder share a few processes. The order is that of their start: long ones early, so that none
 * runs alone at the end.
 */
const FOLDERS: readonly Folder[] = [
  { name: 'e2e', pattern: /^packages\/server\/test\/e2e\//, processes: 1, isLong: true },
  { name: 'http', pattern: /^packages\/server\/test\/http\//, processes: 3 },
  // These mostly wait for servers that they stop or pause.
  {
    name: 'outages',
    pattern: /\/contract\/postgres\/(?:outages|unresponsive-server|opening|abandoned-pulls)/,
    processes: 2,
  },
  { name: 'contract', pattern: /^packages\/server\/test\/contract\//, processes: 4 },
  {
    name: 'project',
    pattern:
      /^packages\/server\/test\/(?:(?:conformance|deploy|licenses|monitoring|programs|runner|spreadsheet)\/)?[^/]+$/,
    processes: 1,
  },
  { name: 'simulation', pattern: /\/test\/simulation\//, processes: 1, isLong: true },
  { name: 'faults', pattern: /^packages\/server\/test\/faults\//, processes: 3, isLong: true },
  { name: 'fuzz', pattern: /\/test\/fuzz[/.]/, processes: 1, isLong: true },
  { name: 'kit', pattern: /^packages\/platform-(?:kit|runner)\/test\//, processes: 1 },
  { name: 'process', pattern: /^packages\/server\/test\/process\//, processes: 2, isLong: true },
  { name: 'test', pattern: /^packages\/[^/]+\/test\//, processes: 3, isLong: true },
  { name: 'unit', pattern: /^packages\/[^/]+\/src\//, processes: 2 },
]

/** The folders whose tests start hubs as processes. */
const STARTING_HUBS = ['faults', 'process', 'kit', 'project', 'test']

/** Files whose path contains one of the words; all files if there are no words. */
export function selectFiles(files: readonly string[], words: readonly string[]): string[] {
  if (words.length === 0) return [...files]
  return files.filter((file) => words.some((word) => file.includes(word)))
}

/** Whether the file has only tests of the deep tier. */
export function isDeepFile(file: string): boolean {
  return file.endsWith('.deep.test.ts')
}

/** The resources that the files need; null for none, as unit tests. The deep tier runs the hub from its source files. */
export function findNeeds(files: readonly string[], isDeep: boolean): Needs | null {
  const folders = new Set(files.map((file) => FOLDERS[folderOf(file)]?.name))
  folders.delete('unit')
  if (folders.size === 0) return null
  const browser = folders.delete('e2e')
  const typescript = folders.has('process')
  const startsHubs = STARTING_HUBS.some((name) => folders.has(name))
  // Hubs of browser tests use SQLite.
  return { postgres: folders.size > 0, browser, bundle: startsHubs && !isDeep, typescript }
}

/**
 * Divides files among processes.
 * @param random shuffles the order; null for the order of {@link FOLDERS}.
 */
export function planJobs(
  files: readonly string[],
  random: Random | null = null,
  { isDeep = false }: { isDeep?: boolean } = {},
): Job[] {
  const jobs = FOLDERS.flatMap(({ name, processes, isLong }, index) => {
    const matches = files.filter((file) => folderOf(file) === index)
    const ordered = random ? shuffle(matches, random) : matches.toSorted()
    if (isDeep && isLong) return ordered.map((file) => ({ name: file, files: [file] }))
    return split(ordered, processes).map((group, number) => ({
      name: group.length === 1 ? String(group[0]) : `${name}-${number + 1}`,
      files: group,
    }))
  })
  return random ? shuffle(jobs, random) : jobs
}

/** A part of the deep tier: the long forms of tests, or a check that needs more programs. */
export type Part = { kind: 'tests'; name: string; job: Job } | { kind: 'check'; name: string }

/** Scripts `check:…` of package.json that run in the deep tier. */
const CHECKS = ['licenses', 'runtimes', 'spreadsheet', 'examples']
/** Checks that take many minutes. A run with `--minutes` does not contain them. */
const LONG_CHECKS = ['defects']

/** Plans the deep tier: all of its tests, and by default the checks, in random order. */
export function planParts(
  files: readonly string[],
  random: Random,
  { withChecks = true, isLimited = false }: { withChecks?: boolean; isLimited?: boolean } = {},
): Part[] {
  const jobs = planJobs(files, null, { isDeep: true })
  const tests = jobs.map((job): Part => ({ kind: 'tests', name: job.name, job }))
  const names = withChecks ? [...CHECKS, ...(isLimited ? [] : LONG_CHECKS)] : []
  const checks = names.map((name): Part => ({ kind: 'check', name: `check:${name}` }))
  return shuffle([...tests, ...checks], random)
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

/** Distributes files round-robin, because files with similar names often take similarly long. */
function split(files: readonly string[], count: number): string[][] {
  const groups: string[][] = Array.from({ length: Math.min(count, files.length) }, () => [])
  for (const [index, file] of files.entries()) groups[index % groups.length]?.push(file)
  return groups
}
