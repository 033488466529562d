/** Simulations of the hub on both engines; `npm run simulate` repeats one of them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rounds } from '../helpers/time/tier.ts'
import { DEFECTS } from './defects.ts'
import { createPostgresTemplate } from './postgres-template.ts'
import { formatCommand, formatFailure, shrink } from './report.ts'
import { type Defect, runSimulation, type SimulationOptions, type SimulationResult } from './run.ts'
import { createTemplate, type Template } from './template.ts'

/** The same seeds in each run: a new seed that fails is a finding of `npm run simulate`, not of the tests. */
const SIMULATIONS = rounds(200, 10_000)
/** Each event is a round trip to the server. */
const POSTGRES_SIMULATIONS = rounds(3, 300)
/** The seeds of one process in the deep tier. */
const SEEDS_PER_PROCESS = { sqlite: 500, postgres: 30 }
/** More than the rarest of the defects needs. */
const MAX_SEEDS_UNTIL_FOUND = 120

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

describe('simulations', () => {
  let template: Template
  before(async () => {
    template = await createTemplate()
  })
  after(() => template.remove())

  test(`no record is lost, duplicated or wrong in ${SIMULATIONS} simulations`, async (t) => {
    assert.deepEqual(await simulate('sqlite', SIMULATIONS, (report) => t.diagnostic(report)), [])
  })

  test(`no record is lost, duplicated or wrong in ${POSTGRES_SIMULATIONS} simulations of two nodes on PostgreSQL`, async (t) => {
    const report = (text: string) => t.diagnostic(text)
    assert.deepEqual(await simulate('postgres', POSTGRES_SIMULATIONS, report), [])
  })

  test('a seed always produces the same events', async () => {
    const fingerprints = new Set<string>()
    for (let seed = 1; seed <= rounds(3, 50); seed += 1) {
      const one = await runSimulation(template, { seed })
      const other = await runSimulation(template, { seed })
      assert.deepEqual(other.trace, one.trace)
      assert.deepEqual([other.steps, other.fingerprint], [one.steps, one.fingerprint])
      fingerprints.add(one.fingerprint)
    }
    assert.equal(fingerprints.size, rounds(3, 50), 'each seed produces other events')
  })

  test('a seed always produces the same events on PostgreSQL', async () => {
    const postgres = await createPostgresTemplate()
    try {
      const one = await runSimulation(postgres, { seed: 1 })
      const other = await runSimulation(postgres, { seed: 1 })
      assert.deepEqual(other.trace, one.trace)
    } finally {
      await postgres.remove()
    }
  })

  for (const [name, defect] of Object.entries(DEFECTS)) {
    test(`a simulation finds a hub that ${name}`, async () => {
      const { options, result } = await findFailure(defect)
      const report = formatFailure(options, result)
      assert.ok(report.includes(formatCommand(options, result.engine)), report)
      const again = await runSimulation(template, options)
      assert.equal(again.failure?.message, result.failure?.message)
      assert.equal(again.fingerprint, result.fingerprint)
    })
  }

  test('a smaller simulation with the failure is found', async () => {
    const [defect] = Object.values(DEFECTS)
    assert.ok(defect)
    const found = await findFailure(defect)
    const smaller = await shrink(template, found.options)
    assert.ok(smaller.result.failure)
    assert.ok(smaller.result.steps <= found.result.steps)
    const again = await runSimulation(template, smaller.options)
    assert.equal(again.fingerprint, smaller.result.fingerprint)
  })

  async function findFailure(
    defect: Defect,
  ): Promise<{ options: SimulationOptions; result: SimulationResult }> {
    for (let seed = 1; seed <= MAX_SEEDS_UNTIL_FOUND; seed += 1) {
      const options = { seed, defect }
      const result = await runSimulation(template, options)
      if (result.failure) return { options, result }
    }
    throw new Error(`${MAX_SEEDS_UNTIL_FOUND} simulations did not find the defect`)
  }
})

type Engine = Template['engine']

/** Runs the seeds from 1 on, in as many processes as there are processors. Returns the reports of those that failed. */
async function simulate(
  engine: Engine,
  seeds: number,
  onPassed: (report: string) => void,
): Promise<string[]> {
  const size = SEEDS_PER_PROCESS[engine]
  const starts = Array.from({ length: Math.ceil(seeds / size) }, (_, index) => 1 + index * size)
  const failures: string[] = []
  const work = async () => {
    for (let first = starts.shift(); first !== undefined; first = starts.shift()) {
      const count = Math.min(size, seeds - first + 1)
      const { isPassed, report } = await simulateInProcess(engine, first, count)
      if (isPassed) onPassed(report)
      else failures.push(report)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failures
}

async function simulateInProcess(
  engine: Engine,
  first: number,
  count: number,
): Promise<{ isPassed: boolean; report: string }> {
  const seeds = ['--seed', String(first), '--count', String(count)]
  const parameters = [MAIN, ...(engine === 'postgres' ? ['--postgres'] : []), ...seeds]
  const output = promisify(execFile)(process.execPath, parameters, { maxBuffer: 2 ** 28 })
  return output.then(
    ({ stdout }) => ({ isPassed: true, report: stdout.trim() }),
    (error: { stdout?: string; stderr?: string }) => ({
      isPassed: false,
      report: `${error.stdout}${error.stderr}`.trim(),
    }),
  )
}
