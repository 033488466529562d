/**
 * Runs the tests of all packages. `npm test -- --help` says how.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { env, exit, stdout } from 'node:process'
import { run } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../global-setup.ts'
import { measureSlowness } from './calibrate.ts'
import { createRandom, type Job, planJobs, selectFiles } from './plan.ts'
import { createReport, type Report } from './report.ts'

const HELP = `npm test [-- <word> …] [--name <pattern>] [--shuffle] [--seed <number>] [--jobs <number>] [--deep]

Runs the test files whose path contains one of the words, or all of them.

  --name <pattern>  only tests whose name matches this regular expression
  --shuffle         run files in an order that the seed decides
  --seed <number>   the seed of the order and of randomised tests; a new one where it is left out
  --jobs <number>   processes at a time
  --deep            long forms of tests too (npm run test:deep)`

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/recordhub-tests')
const PATTERNS = ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts']
/** Tests also wait, for disks and for each other's processes, so more of them run than there are processors. */
const JOBS_PER_PROCESSOR = 2

type Options = {
  words: string[]
  name: string | undefined
  shuffle: boolean
  seed: number
  jobs: number
  deep: boolean
}

function readOptions(): Options | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      name: { type: 'string' },
      shuffle: { type: 'boolean', default: false },
      seed: { type: 'string' },
      jobs: { type: 'string' },
      deep: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  return {
    words: positionals,
    name: values.name,
    shuffle: values.shuffle,
    seed: Number(values.seed ?? Math.floor(Math.random() * 2 ** 31)),
    jobs: Number(values.jobs ?? availableParallelism() * JOBS_PER_PROCESSOR),
    deep: values.deep,
  }
}

async function main(): Promise<boolean> {
  const options = readOptions()
  if (!options) {
    print(HELP)
    return true
  }
  const files = selectFiles(globSync(PATTERNS, { cwd: ROOT }), options.words)
  if (files.length === 0) {
    print(`No test file has one of these in its path: ${options.words.join(', ')}`)
    return false
  }
  const started = performance.now()
  const slowness = measureSlowness()
  env['NODE_COMPILE_CACHE'] ??= join(CACHE, 'compiled')
  env['TEST_SLOWNESS'] = String(slowness)
  env['TEST_SEED'] = String(options.seed)
  if (options.deep) env['TEST_DEEP'] = '1'
  const jobs = planJobs(files, options.shuffle ? createRandom(options.seed) : null)
  print(
    `${files.length} files in ${jobs.length} processes, ${options.jobs} at a time, seed ${options.seed}; ` +
      `this machine takes ${slowness.toFixed(1)} times as long as a healthy one`,
  )
  const report = createReport(print, { root: ROOT, jobs: jobs.length, seed: options.seed })
  const needsServers = files.some((file) => !/^packages\/[^/]+\/src\//.test(file))
  if (needsServers) await globalSetup()
  try {
    await runJobs(jobs, options, report)
  } finally {
    if (needsServers) await globalTeardown()
  }
  return report.summarize(performance.now() - started)
}

async function runJobs(jobs: Job[], options: Options, report: Report): Promise<void> {
  const batches = join(CACHE, `batches-${process.pid}`)
  mkdirSync(batches, { recursive: true })
  try {
    const names = new Map(jobs.map((job) => [entryOf(job, batches), job.name]))
    const events = run({
      cwd: ROOT,
      files: [...names.keys()],
      concurrency: options.jobs,
      ...(options.name === undefined ? {} : { testNamePatterns: new RegExp(options.name) }),
    })
    events.on('test:pass', report.pass)
    events.on('test:fail', report.fail)
    events.on('test:stderr', ({ message }) => void process.stderr.write(message))
    events.on('test:summary', ({ file, duration_ms }) => {
      const name = file === undefined ? undefined : names.get(file)
      if (name !== undefined) report.end(name, duration_ms)
    })
    // Reading to the end is what keeps the events coming.
    for await (const _ of events);
  } finally {
    rmSync(batches, { recursive: true })
  }
}

/** The file that a process runs: the test file itself, or one that imports all of several. */
function entryOf({ name, files }: Job, batches: string): string {
  const [only, ...others] = files.map((file) => join(ROOT, file))
  if (only !== undefined && others.length === 0) return only
  const entry = join(batches, `${name}.mjs`)
  const imports = files.map((file) => `import '${pathToFileURL(join(ROOT, file))}'\n`)
  writeFileSync(entry, imports.join(''))
  return entry
}

function print(line: string): void {
  stdout.write(`${line}\n`)
}

exit((await main()) ? 0 : 1)
