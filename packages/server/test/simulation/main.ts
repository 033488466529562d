/** `npm run simulate`: runs simulations of the hub by their seeds; see README.md in the folder above. */
import { argv, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { DEFECTS } from './defects.ts'
import { findDefect } from './find-defect.ts'
import { createPostgresTemplate } from './postgres-template.ts'
import { formatFailure, shrink } from './report.ts'
import { INGREDIENTS, type Ingredient, runSimulation, type SimulationOptions } from './run.ts'
import { createTemplate } from './template.ts'

const HELP = `npm run simulate [-- options]

  --postgres            on a PostgreSQL server instead of SQLite, with two nodes
  --seed <number>       the seed of the first simulation; a new one by default
  --count <number>      the number of simulations, with consecutive seeds; 1 by default
  --length <number>     the share of the usual time; 1 by default
  --without <word>      leaves out some faults: ${INGREDIENTS.join(', ')}
  --trace               prints all events
  --shrink              looks for a smaller simulation with the failure
  --defects             prints the first seed that finds each defect, for defect-seeds.ts`

function isIngredient(word: string): word is Ingredient {
  return INGREDIENTS.some((ingredient) => ingredient === word)
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      seed: { type: 'string' },
      count: { type: 'string', default: '1' },
      length: { type: 'string', default: '1' },
      without: { type: 'string', multiple: true, default: [] },
      postgres: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      defects: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return true
  }
  if (values.defects) {
    await printDefectSeeds()
    return true
  }
  const first = Number(values.seed ?? Date.now() % 1_000_000)
  const common = { length: Number(values.length), without: values.without.filter(isIngredient) }
  const template = await (values.postgres ? createPostgresTemplate() : createTemplate())
  const totals = {
    steps: 0,
    acknowledged: 0,
    rejected: 0,
    kills: 0,
    pulls: 0,
    reverted: 0,
    claims: 0,
    explained: 0,
    failed: 0,
  }
  const cpu = process.cpuUsage()
  try {
    for (let seed = first; seed < first + Number(values.count); seed += 1) {
      const options: SimulationOptions = { ...common, seed }
      const result = await runSimulation(template, options)
      totals.steps += result.steps
      totals.acknowledged += result.acknowledged
      totals.rejected += result.rejected
      totals.kills += result.kills
      totals.pulls += result.pulls
      totals.reverted += result.reverted
      totals.claims += result.claims
      totals.explained += result.explained
      if (values.trace) print(result.trace.join('\n'))
      if (!result.failure) continue
      totals.failed += 1
      const smallest = values.shrink ? await shrink(template, options) : { options, result }
      print(formatFailure(smallest.options, smallest.result))
    }
  } finally {
    await template.remove()
  }
  const { user, system } = process.cpuUsage(cpu)
  print(
    `${values.count} simulations from seed ${first}: ${totals.failed} failed. ` +
      `${totals.steps} steps, ${totals.acknowledged} acknowledged and ${totals.rejected} rejected pushes, ` +
      `${totals.pulls} manual pulls, ${totals.reverted} reverted records, ${totals.kills} killed processes, ` +
      `${totals.claims} claims of the same versions (${totals.explained} with explained differences), ` +
      `${Math.round((user + system) / 1000)} ms of processor time.`,
  )
  return totals.failed === 0
}

async function printDefectSeeds(): Promise<void> {
  const template = await createTemplate()
  try {
    for (const [name, defect] of Object.entries(DEFECTS)) {
      const { options } = await findDefect(template, defect)
      print(`  '${name}': ${options.seed},`)
    }
  } finally {
    await template.remove()
  }
}

function print(text: string): void {
  stdout.write(`${text}\n`)
}

process.exitCode = (await main()) ? 0 : 1
