/**
 * `npm run bench -- <name> [options]`. Benchmarks are for people, not tests. Only ratios within one run are
 * meaningful, because machines vary in speed.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchBackup } from './backup.ts'
import { benchDashboards } from './dashboards.ts'
import { benchDifference } from './difference.ts'
import { ENGINES, type Engine } from './engines.ts'
import { benchExport } from './export.ts'
import { describeMachine, useOneCore, usePackage, useSlowDisk } from './machine.ts'
import { benchMemory } from './memory.ts'
import { keepPeersIn } from './peers/install.ts'
import { benchPeers } from './peers.ts'
import { benchPull } from './pull.ts'
import { benchPlatforms } from './pull-platforms.ts'
import { benchPush } from './push.ts'
import { benchPushDuringPull } from './push-during-pull.ts'
import { benchPushSteps } from './push-steps.ts'
import { benchRecords } from './records.ts'
import { DATA_NAMES, type DataName, isDataName } from './records-data.ts'
import { benchRecordsPage } from './records-page.ts'
import { printTable, writeJson } from './report.ts'
import { benchRevert } from './revert.ts'
import { benchRunner } from './runner.ts'
import { benchScale } from './scale.ts'
import { benchScrape } from './scrape.ts'
import { benchSoak } from './soak.ts'

type Bench = {
  /** What `--count` sets, and its default. */
  count: string
  full: number
  /** The count in `all`; null if it is not part of it. */
  brief: number | null
  /** Whether it runs with each sort of records. */
  hasData?: true
  run: (engine: Engine, count: number, data: DataName) => Promise<void>
}

const BENCHES: Record<string, Bench> = {
  push: {
    count: 'seconds per round',
    full: 4,
    brief: 3,
    hasData: true,
    run: (engine, seconds, data) => benchPush(engine, data, seconds),
  },
  pull: {
    count: 'records',
    full: 100_000,
    brief: 30_000,
    hasData: true,
    run: (engine, records, data) => benchPull(engine, data, records),
  },
  'push-during-pull': {
    count: 'seconds per round',
    full: 4,
    brief: 3,
    run: benchPushDuringPull,
  },
  dashboards: { count: 'seconds per round', full: 20, brief: 10, run: benchDashboards },
  'push-steps': {
    count: 'seconds per round',
    full: 4,
    brief: null,
    hasData: true,
    run: async (engine, seconds, data) => {
      if (engine === 'SQLite') await benchPushSteps(data, seconds)
    },
  },
  memory: { count: 'records', full: 70_000, brief: 20_000, run: benchMemory },
  records: { count: 'records', full: 1_000_000, brief: 200_000, run: benchRecords },
  export: { count: 'records', full: 1_000_000, brief: 60_000, run: benchExport },
  platforms: {
    count: 'platforms with 10 modules each',
    full: 1000,
    brief: 100,
    run: (engine, platforms) => benchPlatforms(engine, platforms, 10),
  },
  difference: { count: 'records', full: 1_000_000, brief: null, run: benchDifference },
  scrape: {
    count: 'platforms with 10 modules each',
    full: 1000,
    brief: null,
    run: (engine, platforms) => benchScrape(engine, platforms, 10),
  },
  revert: { count: 'records', full: 100_000, brief: 10_000, run: benchRevert },
  backup: { count: 'records', full: 1_000_000, brief: 20_000, run: benchBackup },
  scale: {
    count: 'records',
    full: 10_000_000,
    brief: 100_000,
    run: (engine, records) => benchScale(engine, records, options),
  },
  'records-page': { count: 'records', full: 1_000_000, brief: null, run: benchRecordsPage },
  peers: {
    count: 'records in the pull',
    full: 10_000,
    brief: null,
    hasData: true,
    run: (engine, records, data) => benchPeers(engine, data, records),
  },
  soak: { count: 'minutes', full: 30, brief: null, run: benchSoak },
  runner: { count: 'records', full: 100_000, brief: null, run: benchRunner },
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    engine: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'string' },
    folder: { type: 'string' },
    plot: { type: 'string' },
    package: { type: 'string' },
    'slow-disk': { type: 'boolean', default: false },
    'one-core': { type: 'boolean', default: false },
  },
})
const [name = ''] = positionals
const isAll = name === 'all'
const chosen = Object.entries(BENCHES).filter(
  ([one, { brief }]) => one === name || (isAll && brief !== null),
)
const engines = ENGINES.filter((one) => one.toLowerCase().startsWith(options.engine ?? ''))
const data = options.data === undefined ? DATA_NAMES : [options.data].filter(isDataName)
const count = options.count === undefined ? null : Number(options.count)
if (chosen.length === 0 || engines.length === 0 || data.length === 0 || Number.isNaN(count)) {
  process.stderr.write(usage())
  process.exitCode = 2
} else {
  if (options.folder !== undefined) keepPeersIn(resolve(options.folder))
  if (options['slow-disk']) useSlowDisk()
  if (options['one-core']) useOneCore()
  if (options.package !== undefined) usePackage(options.package)
  const modes = [
    options['slow-disk'] && 'fsync + 5 ms',
    options['one-core'] && 'one core',
    options.package && 'package',
  ]
  const run = {
    machine: describeMachine(),
    mode: modes.filter(Boolean).join(', ') || 'as it is',
    at: new Date().toISOString(),
  }
  // Runs the handlers of `exit`, which end all processes.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.stdout.write(`${run.machine}; ${run.mode}\n`)
  for (const [, bench] of chosen) {
    for (const engine of engines) {
      for (const one of bench.hasData ? data : DATA_NAMES.slice(0, 1)) {
        await bench.run(engine, count ?? (isAll ? bench.brief : null) ?? bench.full, one)
      }
    }
  }
  printTable()
  if (options.json !== undefined) writeJson(options.json, run)
}

function usage(): string {
  const rows = Object.entries(BENCHES).map(
    ([one, bench]) => `  ${one.padEnd(18)} --count: ${bench.count} (${bench.full})`,
  )
  return `npm run bench -- <name> [options]

${rows.join('\n')}
  all                all but push-steps, difference, records-page, peers, soak and runner, with fewer records; one table at the end

  --engine sqlite|postgres   one engine
  --data small|museum        flat records of 350 bytes or nested ones of 2 KB (push, pull and peers)
  --json <file>              write the results to a file
  --folder <folder>          keep the databases of scale or the products of peers there, and use those that exist
  --plot <file>              draw the times of scale as SVG
  --package <folder>         the hub is the package that is installed in this folder, not the source files
  --slow-disk                every fsync takes 5 ms longer (compiles a library with cc, loaded with LD_PRELOAD)
  --one-core                 the hub and PostgreSQL run on one core (taskset)
`
}
