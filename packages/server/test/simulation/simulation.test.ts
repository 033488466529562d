/** Simulations of the hub on SQLite; `npm run simulate` repeats one of them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rounds } from '../helpers/time/tier.ts'
import { BROKEN_STORAGES } from './broken-storages.ts'
import { formatCommand, formatFailure, shrink } from './report.ts'
import { runSimulation, type SimulationOptions, type SimulationResult } from './run.ts'
import { createTemplate, type Template } from './template.ts'

const SIMULATIONS = rounds(200, 1000)
/** A defect that affects every simulation need not be reported for each of them. */
const MAX_REPORTED = 3
/** Enough for the rarest of the defects below. */
const MAX_SEEDS_UNTIL_FOUND = 60

describe('simulations', () => {
  let template: Template
  before(async () => {
    template = await createTemplate()
  })
  after(() => template.remove())

  test(`no record is lost, duplicated or wrong in ${SIMULATIONS} simulations`, async (t) => {
    const first = 1
    const totals = { steps: 0, acknowledged: 0, kills: 0 }
    const failures: string[] = []
    for (let seed = first; seed < first + SIMULATIONS; seed += 1) {
      const result = await runSimulation(template, { seed })
      totals.steps += result.steps
      totals.acknowledged += result.acknowledged
      totals.kills += result.kills
      if (result.failure) failures.push(formatFailure({ seed }, result))
      if (failures.length >= MAX_REPORTED) break
    }
    const { steps, acknowledged, kills } = totals
    t.diagnostic(
      `Seeds ${first} to ${first + SIMULATIONS - 1}: ${steps} steps, ` +
        `${acknowledged} acknowledged pushes, ${kills} killed processes`,
    )
    assert.equal(failures.join('\n\n'), '')
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

  for (const [defect, breakStorage] of Object.entries(BROKEN_STORAGES)) {
    test(`a simulation finds a hub that ${defect}`, async () => {
      const { options, result } = await findFailure(breakStorage)
      const report = formatFailure(options, result)
      assert.ok(report.includes(formatCommand(options)), report)
      const again = await runSimulation(template, options)
      assert.equal(again.failure?.message, result.failure?.message)
      assert.equal(again.fingerprint, result.fingerprint)
    })
  }

  test('a smaller simulation with the failure is found', async () => {
    const [breakStorage] = Object.values(BROKEN_STORAGES)
    assert.ok(breakStorage)
    const found = await findFailure(breakStorage)
    const smaller = await shrink(template, found.options)
    assert.ok(smaller.result.failure)
    assert.ok(smaller.result.steps <= found.result.steps)
    const again = await runSimulation(template, smaller.options)
    assert.equal(again.fingerprint, smaller.result.fingerprint)
  })

  async function findFailure(
    breakStorage: NonNullable<SimulationOptions['breakStorage']>,
  ): Promise<{ options: SimulationOptions; result: SimulationResult }> {
    for (let seed = 1; seed <= MAX_SEEDS_UNTIL_FOUND; seed += 1) {
      const options = { seed, breakStorage }
      const result = await runSimulation(template, options)
      if (result.failure) return { options, result }
    }
    throw new Error(`${MAX_SEEDS_UNTIL_FOUND} simulations did not find the defect`)
  }
})
