/** One simulation of two nodes on PostgreSQL: each of its events is a round trip to the server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresTemplate } from './postgres-template.ts'
import { formatFailure } from './report.ts'
import { runSimulation } from './run.ts'

test('no record is lost, duplicated or wrong in a simulation on PostgreSQL', async () => {
  const template = await createPostgresTemplate()
  try {
    const { failure, ...result } = await runSimulation(template, { seed: 1 })
    assert.equal(failure, null, formatFailure({ seed: 1 }, { failure, ...result }))
  } finally {
    await template.remove()
  }
})
