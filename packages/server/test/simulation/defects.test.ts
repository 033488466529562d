/** A known simulation finds each defect, which shows that each rule of the reference model is checked. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEFECT_SEEDS } from './defect-seeds.ts'
import { DEFECTS } from './defects.ts'
import { formatCommand, formatFailure } from './report.ts'
import { runSimulation } from './run.ts'
import { createTemplate, type Template } from './template.ts'

const UPDATE =
  'If the events of the simulations have changed, copy the output of `npm run simulate -- --defects` to defect-seeds.ts.'

describe('simulations of hubs with a defect', () => {
  let template: Template
  before(async () => {
    template = await createTemplate()
  })
  after(() => template.remove())

  test('each defect has a seed', () => {
    assert.deepEqual(Object.keys(DEFECT_SEEDS).toSorted(), Object.keys(DEFECTS).toSorted(), UPDATE)
  })

  for (const [name, defect] of Object.entries(DEFECTS)) {
    test(`a simulation finds a hub that ${name}`, async () => {
      const options = { seed: DEFECT_SEEDS[name] ?? 1, defect }
      const result = await runSimulation(template, options)
      assert.ok(
        result.failure,
        `Seed ${options.seed} no longer finds a hub that ${name}. ${UPDATE}`,
      )
      const report = formatFailure(options, result)
      assert.ok(report.includes(formatCommand(options, result.engine)), report)
    })
  }
})
