/** Runs the tests of all packages; see `npm test -- --help`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { argv, env, exit, pid, stderr, stdout } from 'node:process'
import { run } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { globalSetup, globalTeardown } from '../global-setup.ts'
import type { FaultResult } from '../helpers/process/fault-report.ts'
import { FAULTS } from '../helpers/process/faults.ts'
import { findExcesses, isDisturbed, sumCosts } from './budget.ts'
import { createCalibration, measureSlowness, type Scale } from './calibrate.ts'
import { findFaultIssues, formatFaultTable, mergeRows } from './fault-table.ts'
import { formatRepeatCommand, HELP, type Options, readOptions } from './options.ts'
import { findNeeds, type Job, planJobs, planParts } from './plan.ts'
import { readMachineMs, readTreeMs } from './processor-time.ts'
import { createRandom } from './random.ts'
import { createReport, type Report, type ReportOptions } from './report.ts'
import { selectTests } from './select-tests.ts'
import type { ProcessUsage } from './usage.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/recordhub-tests')
/** The rows that fault tests report. */
const FAULT_REPORT = join(CACHE, `faults-${pid}.jsonl`)
/** What test processes report about their processor time. */
const USAGE = join(CACHE, `usage-${pid}.jsonl`)
const MEASURE = new URL('./measure-file.ts', import.meta.url).href
const END_PROCESS = new URL('./end-process.ts', import.meta.url).href
const SOURCES = ['packages/*/src/**/*.ts']
const SHIFTED_CLOCK = new URL('../helpers/time/shifted-clock.mjs', import.meta.url).href
const UNTRACKED_PROMISES = new URL('./untracked-promises.ts', import.meta.url).href
/** More frequent samples would take less time each, as V8 optimises them, and the budget is defined with these. */
const PROGRESS_MS = 10_000
/**
 * A test that does not end must not block the run. All simulations of the deep tier are one file. The limit of a run with
 * `--minutes` holds on any machine, those of the others on the reference machine.
 */
const PROCESS_LIMIT_MS = { quick: 15 * 60_000, deep: 60 * 60_000, limited: 30 * 60_000 }

/** Aborted when the run is interrupted: then the processes of the tests and the servers that they share end. */
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort())

/** The test files of each process, by the path of the file that it runs. */
const filesOfEntry = new Map<string, readonly string[]>()

/** @returns whether the run succeeded. */
async function main(): Promise<boolean> {
  const options = readOptions(argv.slice(2))
  if (!options) {
    print(HELP)
    return true
  }
  const { mode, seed } = options
  const started = performance.now()
  const { files, notes } = selectTests(ROOT, options)
  for (const note of notes) print(note)
  if (files.length === 0) return options.changes !== null
  const slowness = measureSlowness()
  const calibration = createCalibration()
  const failures = join(CACHE, `failures-${seed}`)
  rmSync(failures, { recursive: true, force: true })
  env['TEST_ARTIFACTS'] = failures
  env['NODE_COMPILE_CACHE'] ??= join(CACHE, 'compiled')
  env['TEST_SLOWNESS'] = slowness.toFixed(2)
  env['TEST_SEED'] = String(seed)
  // Checks of the deep tier start quick tiers.
  env['TEST_DEEP'] = mode === 'deep' || mode === 'faults' ? '1' : '0'
  if (mode === 'faults') {
    rmSync(FAULT_REPORT, { force: true })
    env['TEST_FAULT_REPORT'] = FAULT_REPORT
  }
  if (options.clock !== null) env['TEST_CLOCK'] = options.clock
  print(
    `Seed ${seed}. ${options.jobs} concurrent processes. ` +
      `Guard times are multiplied by ${slowness.toFixed(1)}.`,
  )
  const isComplete = options.words.length === 0 && options.name === null && !options.changes
  const machineMs = readMachineMs()
  const isBudgeted = mode === 'quick' && isComplete && !options.coverage
  if (isBudgeted) env['TEST_USAGE'] = USAGE
  const report = createReport(print, reportOptions(options, { printsTests: !isComplete }))
  const needs = findNeeds(files, mode === 'deep')
  const watched = mode === 'watch'
  const progress = watched
    ? undefined
    : setInterval(() => {
        report.progress(performance.now() - started)
        calibration.sample()
      }, PROGRESS_MS)
  if (needs) await globalSetup(needs)
  try {
    if (watched) await watch(files, options)
    else if (mode === 'deep' || mode === 'faults') await runDeep(files, options, report, started)
    else await runJobs(jobsOf(files, options), options, report)
  } finally {
    clearInterval(progress)
    if (needs) await globalTeardown()
  }
  if (isBudgeted && !interruption.signal.aborted) {
    checkBudget(report, { scale: calibration.scale(), machineMs })
  }
  if (existsSync(failures)) {
    print(`\nWhat failed tests left, in ${relative(ROOT, failures)}:`)
    for (const name of readdirSync(failures)) print(`    ${name}`)
  }
  const hasPassed = report.summarize(performance.now() - started)
  const passed = mode === 'faults' ? printFaults(options) && hasPassed : hasPassed
  if (interruption.signal.aborted) print('The run was interrupted.')
  return passed && !interruption.signal.aborted
}

/**
 * Reports the costs of a complete quick tier, and fails the run if they exceed the budget.
 * @param machineMs of {@link readMachineMs} at the start of the run.
 */
function checkBudget(
  report: Report,
  { scale, machineMs }: { scale: Scale; machineMs: number | null },
): void {
  const totalMs = readTreeMs(pid)
  const machineEndMs = readMachineMs()
  if (totalMs === null || machineMs === null || machineEndMs === null) {
    print('The budget is not checked: only Linux reports processor times.')
    return
  }
  const lines = existsSync(USAGE) ? readFileSync(USAGE, 'utf8').split('\n') : []
  rmSync(USAGE, { force: true })
  const usages = lines.filter(Boolean).map((line): ProcessUsage => JSON.parse(line))
  const filesOf = (entry: string) => filesOfEntry.get(relative(ROOT, entry)) ?? []
  const costs = sumCosts(usages, { totalMs, filesOf, scale })
  report.cost(costs)
  const ownMs = costs.totalSeconds * 1000 * scale.factor
  if (isDisturbed({ ownMs, machineMs: machineEndMs - machineMs })) {
    print('The budget is not checked: other programs used the processors during the run.')
    return
  }
  const excesses = findExcesses(costs)
  const outcome = excesses.length === 0 ? 'passed' : 'failed'
  report.check('the budget of the quick tier', outcome, excesses.join('\n'))
}

/** Prints the table of faults. @returns whether each expected fault was reported, without lost or duplicated writes. */
function printFaults(options: Options): boolean {
  const lines = existsSync(FAULT_REPORT) ? readFileSync(FAULT_REPORT, 'utf8').split('\n') : []
  const reported = lines.filter(Boolean).map((line): FaultResult => JSON.parse(line))
  const rows = mergeRows(reported, FAULTS)
  const isComplete = options.words.length === 0 && options.name === null
  const issues = findFaultIssues(rows, FAULTS, { isComplete })
  const command = formatRepeatCommand(options, options.words.join(' '))
  for (const line of ['', `\`${command}\``, '', ...formatFaultTable(rows), '', ...issues])
    print(line)
  return issues.length === 0
}

function jobsOf(files: string[], { shuffle, seed }: Options): Job[] {
  return planJobs(files, shuffle ? createRandom(seed) : null)
}

function reportOptions(
  options: Options,
  { printsTests }: Pick<ReportOptions, 'printsTests'>,
): ReportOptions {
  return {
    root: ROOT,
    seed: options.seed,
    printsTests,
    repeatCommand: (file: string) =>
      formatRepeatCommand(options, (filesOfEntry.get(file) ?? [file]).join(' ')),
  }
}

function execArgvOf({ clock }: Options): string[] {
  const modules = clock === null ? [UNTRACKED_PROMISES] : [UNTRACKED_PROMISES, SHIFTED_CLOCK]
  return modules.map((module) => `--import=${module}`)
}

/** Runs one part after the other, in the order of the seed, until the time of `--minutes` is over. */
async function runDeep(
  files: string[],
  options: Options,
  report: Report,
  started: number,
): Promise<void> {
  const parts = planParts(files, createRandom(options.seed), {
    withChecks: options.mode === 'deep' && options.words.length === 0,
    isLimited: options.minutes !== null,
  })
  const limitMs = (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  for (const [index, part] of parts.entries()) {
    if (interruption.signal.aborted) return
    if (performance.now() - started > limitMs) {
      const remaining = parts.slice(index).map(({ name }) => name)
      print(`Not started, because ${options.minutes} minutes are over: ${remaining.join(', ')}`)
      return
    }
    if (part.kind === 'tests') await runJobs([part.job], options, report)
    else report.check(part.name, await runCheck(part.name))
  }
}

/** Runs a script of package.json. Its exit code is 0 for success, 2 if a required program is not installed, otherwise 1. */
async function runCheck(name: string): Promise<'passed' | 'failed' | 'skipped'> {
  const child = spawn('npm', ['run', '--silent', name], { cwd: ROOT, stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  return code === 0 ? 'passed' : code === 2 ? 'skipped' : 'failed'
}

async function runJobs(jobs: Job[], options: Options, report: Report): Promise<void> {
  const folder = join(CACHE, `entries-${pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const events = run({
      cwd: ROOT,
      files: jobs.map((job, index) => writeEntry(job, join(folder, `${index + 1}.mjs`))),
      concurrency: options.jobs,
      signal: interruption.signal,
      timeout: processLimitMs(options),
      execArgv: execArgvOf(options),
      ...(options.name ? { testNamePatterns: options.name } : {}),
      ...(options.coverage ? { coverage: true, coverageIncludeGlobs: SOURCES } : {}),
    })
    events.on('test:complete', (outcome) => {
      if (!interruption.signal.aborted) report.complete(outcome)
    })
    events.on('test:diagnostic', report.diagnose)
    events.on('test:coverage', report.cover)
    events.on('test:stderr', ({ message }) => void stderr.write(message))
    // The listeners are called only while the stream is read.
    for await (const _ of events);
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function processLimitMs({ mode, minutes }: Options): number {
  if (minutes !== null) return PROCESS_LIMIT_MS.limited
  return PROCESS_LIMIT_MS[mode === 'quick' ? 'quick' : 'deep'] * Number(env['TEST_SLOWNESS'])
}

/** Runs files again when they or their imports change, until the process is ended. */
async function watch(files: string[], options: Options): Promise<void> {
  const { jobs, name } = options
  const printing = reportOptions(options, { printsTests: options.words.length > 0 })
  let report = createReport(print, printing)
  let started = performance.now()
  const events = run({
    cwd: ROOT,
    files: files.map((file) => join(ROOT, file)),
    concurrency: jobs,
    signal: interruption.signal,
    execArgv: execArgvOf(options),
    watch: true,
    ...(name ? { testNamePatterns: name } : {}),
  })
  events.on('test:complete', (outcome) => report.complete(outcome))
  events.on('test:diagnostic', (diagnostic) => report.diagnose(diagnostic))
  events.on('test:stderr', ({ message }) => void stderr.write(message))
  events.on('test:watch:drained', () => {
    report.summarize(performance.now() - started)
    report = createReport(print, printing)
  })
  events.on('test:watch:restarted', () => {
    started = performance.now()
  })
  for await (const _ of events);
}

/** Writes the file that a process runs. It imports the test files, and measures their processor time. */
function writeEntry({ files }: Job, entry: string): string {
  filesOfEntry.set(relative(ROOT, entry), files)
  const imports = files.flatMap((file) => [
    pathToFileURL(join(ROOT, file)).href,
    `${MEASURE}?file=${encodeURIComponent(file)}`,
  ])
  writeFileSync(
    entry,
    [END_PROCESS, MEASURE, ...imports].map((one) => `import '${one}'\n`).join(''),
  )
  return entry
}

function print(line: string): void {
  stdout.write(`${line}\n`)
}

try {
  exit((await main()) ? 0 : 1)
} catch (error) {
  print(error instanceof Error ? String(error.stack) : String(error))
  exit(1)
}
