/** One simulation of two nodes on PostgreSQL: each of its events is a round trip to the server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresTemplate } from './postgres-template.ts'
import { formatFailure } from './report.ts'
import { runSimulation } from './run.ts'

test('no record is lost, duplicated or wrong in a simulation on PostgreSQL, and its seed always produces the same events', async () => {
  const template = await createPostgresTemplate()
  try {
    const one = await runSimulation(template, { seed: 1 })
    assert.equal(one.failure, null, formatFailure({ seed: 1 }, one))
    const other = await runSimulation(template, { seed: 1 })
    assert.deepEqual(other.trace, one.trace)
  } finally {
    await template.remove()
  }
})
