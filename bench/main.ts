/**
 * `npm run bench -- <name> [numbers] [engine]`, on both engines or the one given last (`sqlite`,
 * `postgres`). Benchmarks are for people, not tests. Only ratios within one run are meaningful.
 */
import { ENGINES, type Engine } from './engines.ts'
import { benchExport } from './export.ts'
import { benchPull } from './pull.ts'
import { benchPlatforms } from './pull-platforms.ts'
import { benchPush } from './push.ts'
import { benchPushDuringPull } from './push-during-pull.ts'
import { benchRecords } from './records.ts'
import { benchRecordsPage } from './records-page.ts'
import { benchRunner } from './runner.ts'

type Bench = { usage: string; run: (engine: Engine, ...numbers: number[]) => Promise<void> }

const BENCHES: Record<string, Bench> = {
  push: {
    usage: '[seconds a round]',
    run: (engine, seconds = 4) => benchPush(engine, seconds),
  },
  pull: {
    usage: '[records]',
    run: (engine, records = 300_000) => benchPull(engine, records),
  },
  platforms: {
    usage: '[platforms] [modules of each]',
    run: (engine, platforms = 1000, modules = 10) => benchPlatforms(engine, platforms, modules),
  },
  export: {
    usage: '[records]',
    run: (engine, records = 1_000_000) => benchExport(engine, records),
  },
  records: {
    usage: '[records]',
    run: (engine, records = 1_000_000) => benchRecords(engine, records),
  },
  'records-page': {
    usage: '[records]',
    run: (engine, records = 1_000_000) => benchRecordsPage(engine, records),
  },
  runner: {
    usage: '[records]',
    run: (engine, records = 100_000) => benchRunner(engine, records),
  },
  'push-during-pull': {
    usage: '[seconds a round]',
    run: (engine, seconds = 4) => benchPushDuringPull(engine, seconds),
  },
}

const [name = '', ...rest] = process.argv.slice(2)
const numbers = rest.filter((word) => /^\d+$/.test(word)).map(Number)
const word = rest.find((one) => /^[a-z]/i.test(one))?.toLowerCase() ?? ''
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench) {
  const named = ENGINES.filter((engine) => engine.toLowerCase().startsWith(word))
  for (const engine of named) await bench.run(engine, ...numbers)
} else {
  const lines = Object.entries(BENCHES).map(
    ([one, { usage }]) => `npm run bench -- ${one} ${usage}`,
  )
  process.stderr.write(`Say which, and the engine if only one:\n${lines.join('\n')}\n`)
  process.exitCode = 2
}
