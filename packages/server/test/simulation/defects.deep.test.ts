/** The search for each defect from the first seed on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEFECT_SEEDS } from './defect-seeds.ts'
import { DEFECTS } from './defects.ts'
import { findDefect } from './find-defect.ts'
import { shrink } from './report.ts'
import { runSimulation } from './run.ts'
import { createTemplate, type Template } from './template.ts'

describe('a search for hubs with a defect', () => {
  let template: Template
  before(async () => {
    template = await createTemplate()
  })
  after(() => template.remove())

  for (const [name, defect] of Object.entries(DEFECTS)) {
    test(`it finds a hub that ${name}, and the seed always fails in the same way`, async () => {
      const { options, result } = await findDefect(template, defect)
      const again = await runSimulation(template, options)
      assert.equal(again.failure?.message, result.failure?.message)
      assert.equal(again.fingerprint, result.fingerprint)
    })
  }

  test('a smaller simulation with the failure is found, and always fails in the same way', async () => {
    const [[name, defect] = []] = Object.entries(DEFECTS)
    assert.ok(name !== undefined && defect)
    const options = { seed: DEFECT_SEEDS[name] ?? 1, defect }
    const found = await runSimulation(template, options)
    const smaller = await shrink(template, options)
    assert.ok(smaller.result.failure)
    assert.ok(smaller.result.steps <= found.steps)
    const again = await runSimulation(template, smaller.options)
    assert.equal(again.failure?.message, smaller.result.failure.message)
    assert.equal(again.fingerprint, smaller.result.fingerprint)
  })
})
