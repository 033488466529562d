import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

export const HELP = `npm test [-- <word> …] [options]     the quick tier
npm run test:deep [-- …]              long forms except those of faults, and checks that need more programs
npm run test:faults [-- …]            long forms of the fault tests, and the table of their results
npm run test:watch [-- <word> …]      runs tests again when a file that they import changes
npm run test:changed [-- <commits>]   the tests that import what has changed: since the last commit, or in a range such as main..HEAD

Runs the test files whose path contains one of the words, or all of them.

  --name <pattern>     only tests whose name matches this regular expression
  --seed <number>      the seed of shuffled orders and of randomised tests; a new one by default
  --clock <time>       sets the clock of each test process (UTC): 23:59:50, or 2027-02-28T23:59:50
  --shuffle            runs the files in a random order that depends on the seed
  --jobs <number>      the number of concurrent processes; twice the number of processors by default
  --minutes <number>   starts no further part of the deep tier after this time, and no simulations, fuzzers and defects
  --coverage           prints the line coverage of the sources

TEST_DATABASE_URL, TEST_POSTGRES, TEST_CHROMIUM and TEST_MYSQL_URL choose the programs that tests
use; see packages/server/test/README.md.`

export type Options = {
  words: string[]
  /** Selects the tests that import changed files; `range` is null for the working tree. */
  changes: { range: string | null } | null
  mode: 'quick' | 'deep' | 'faults' | 'watch'
  name: RegExp | null
  seed: number
  shuffle: boolean
  /** The time at which each test process starts, in RFC 3339; null for the real time. */
  clock: string | null
  jobs: number
  /** No further part of the deep tier starts after this many minutes; null for no limit. */
  minutes: number | null
  coverage: boolean
}

/** More processes than processors, because tests also wait for disks and for other processes. */
const JOBS_PER_PROCESSOR = 2

/**
 * Reads the arguments of a run.
 * @returns null for `--help`.
 * @throws Error that names the invalid argument.
 */
export function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      deep: { type: 'boolean', default: false },
      faults: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      name: { type: 'string' },
      seed: { type: 'string' },
      shuffle: { type: 'boolean', default: false },
      clock: { type: 'string' },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
      coverage: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  return {
    words: values.changed ? [] : positionals,
    changes: values.changed ? { range: positionals[0] ?? null } : null,
    mode: modeOf(values),
    name: values.name === undefined ? null : new RegExp(values.name),
    seed: toNumber('--seed', values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    shuffle: values.shuffle,
    clock: toInstant('--clock', values.clock),
    jobs: toNumber('--jobs', values.jobs) ?? availableParallelism() * JOBS_PER_PROCESSOR,
    minutes: toNumber('--minutes', values.minutes),
    coverage: values.coverage,
  }
}

function modeOf(flags: { watch: boolean; deep: boolean; faults: boolean }): Options['mode'] {
  if (flags.watch) return 'watch'
  if (flags.faults) return 'faults'
  return flags.deep ? 'deep' : 'quick'
}

const COMMANDS = {
  ...{ quick: 'npm test', watch: 'npm test' },
  ...{ deep: 'npm run test:deep', faults: 'npm run test:faults' },
} as const

/** The command that repeats a file with the same seed, tier and clock. */
export function formatRepeatCommand({ mode, seed, clock }: Options, file: string): string {
  const words = file === '' ? '' : `${file} `
  return `${COMMANDS[mode]} -- ${words}--seed ${seed}${clock === null ? '' : ` --clock ${clock.slice(0, 19)}`}`
}

/** A time without a date is on the current day. */
function toInstant(option: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const dateAndTime = text.includes('T') ? text : `${new Date().toISOString().slice(0, 10)}T${text}`
  const instant = `${dateAndTime}Z`
  if (!/T\d\d:\d\d:\d\dZ$/.test(instant) || Number.isNaN(Date.parse(instant))) {
    throw new Error(
      `${option} requires a time such as 23:59:50 or 2027-02-28T23:59:50, not ${text}`,
    )
  }
  return instant
}

function toNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${option} requires a whole number, not ${text}`)
  return Number(text)
}
