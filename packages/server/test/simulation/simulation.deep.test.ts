/** Many simulations on both engines; `npm run simulate` repeats one of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresTemplate } from './postgres-template.ts'
import { runSimulation } from './run.ts'
import { runSeeds } from './run-seeds.ts'
import { createTemplate } from './template.ts'

const SIMULATIONS = 10_000
const POSTGRES_SIMULATIONS = 300

test(`no record is lost, duplicated or wrong in ${SIMULATIONS} simulations`, async (t) => {
  assert.deepEqual(await runSeeds('sqlite', SIMULATIONS, (report) => t.diagnostic(report)), [])
})

test(`no record is lost, duplicated or wrong in ${POSTGRES_SIMULATIONS} simulations of two nodes on PostgreSQL`, async (t) => {
  const report = (text: string) => t.diagnostic(text)
  assert.deepEqual(await runSeeds('postgres', POSTGRES_SIMULATIONS, report), [])
})

for (const { create, repeated } of [
  { create: createTemplate, repeated: 50 },
  { create: createPostgresTemplate, repeated: 1 },
]) {
  test(`each of ${repeated} seeds always produces the same events, with ${create.name}`, async () => {
    const template = await create()
    try {
      for (let seed = 1; seed <= repeated; seed += 1) {
        const one = await runSimulation(template, { seed })
        const other = await runSimulation(template, { seed })
        assert.deepEqual(other.trace, one.trace)
        assert.deepEqual([other.steps, other.fingerprint], [one.steps, one.fingerprint])
      }
    } finally {
      await template.remove()
    }
  })
}
