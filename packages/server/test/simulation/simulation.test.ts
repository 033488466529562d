/**
 * Simulations of the hub on SQLite; `npm run simulate` repeats one of them. Always the same seeds: a new seed that fails is
 * a finding of the deep tier or of `npm run simulate`.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rounds } from '../helpers/time/tier.ts'
import { formatFailure } from './report.ts'
import { runSimulation, type SimulationResult } from './run.ts'
import { createTemplate, type Template } from './template.ts'

const SIMULATIONS = rounds(8, 20)
/** The number of simulations that are run again. */
const REPEATED = 1

describe('simulations on SQLite', () => {
  let template: Template
  const results: SimulationResult[] = []
  before(async () => {
    template = await createTemplate()
  })
  after(() => template.remove())

  test(`no record is lost, duplicated or wrong in ${SIMULATIONS} simulations`, async () => {
    for (let seed = 1; seed <= SIMULATIONS; seed += 1) {
      results.push(await runSimulation(template, { seed }))
    }
    const failed = results.filter(({ failure }) => failure !== null)
    assert.deepEqual(
      failed.map((result) => formatFailure({ seed: result.seed }, result)),
      [],
    )
  })

  test('a seed always produces the same events, and each seed other ones', async () => {
    const fingerprints = results.map(({ fingerprint }) => fingerprint)
    assert.equal(new Set(fingerprints).size, SIMULATIONS)
    for (const one of results.slice(0, REPEATED)) {
      const other = await runSimulation(template, { seed: one.seed })
      assert.deepEqual(other.trace, one.trace)
      assert.deepEqual([other.steps, other.fingerprint], [one.steps, one.fingerprint])
    }
  })
})
