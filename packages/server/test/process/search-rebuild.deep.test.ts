/** `recordhub search rebuild` beside a running hub. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type EngineSandbox,
  enginesForTier,
  type ProcessEngine,
  sqlite,
} from '../helpers/process/engine.ts'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { untilTrue } from '../helpers/time/until.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`search rebuild makes a running hub find records that its index lost (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    const operator = await connectOperator(hub)
    const module = generateModule('person', 3)
    const person = { reference_number: 'R-1', full_name: 'Ann Unmistakable', data: {} }
    module.records.push(JSON.stringify(person))
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    await operator.registerModules(platform)
    await operator.pullAll()
    const find = () => operator.findRecords('q=unmistakable')
    await untilTrue('all records are indexed', async () => {
      const status: { lag: number } = JSON.parse(
        await operator.request('GET', '/api/v1/search/status'),
      )
      return status.lag === 0
    })
    assert.equal((await find()).length, 1)
    await deleteEntries(engine, kit)
    assert.equal((await find()).length, 0)

    const { code, stderr } = await kit.sandbox.run(['search', 'rebuild'])
    assert.deepEqual([code, stderr], [0, []])
    await untilTrue('the record is found again', async () => (await find()).length === 1)
  })
}

async function deleteEntries(
  engine: ProcessEngine,
  { sandbox, queryDatabase }: EngineSandbox,
): Promise<void> {
  if (engine.name === 'PostgreSQL') {
    await queryDatabase('DELETE FROM record_search')
    return
  }
  using index = new DatabaseSync(join(sandbox.folder, 'data', 'recordhub.search.sqlite'))
  index.exec(`INSERT INTO record_search (record_search) VALUES ('delete-all')`)
}
