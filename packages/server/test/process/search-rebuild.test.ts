/** `recordhub search rebuild` beside a running hub. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ENGINES, type EngineSandbox, type ProcessEngine } from '../helpers/process/engine.ts'
import {
  ask,
  eventually,
  listRecords,
  pullAndWait,
  registerPlatform,
  signIn,
} from '../helpers/process/operator.ts'
import { makeUpModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'

for (const engine of ENGINES) {
  test(
    `search rebuild makes a running hub find records that its index lost (${engine.name})`,
    PROCESS_TEST,
    async (t) => {
      const kit = await engine.createSandbox(t)
      const hub = await kit.sandbox.startHub()
      const operator = await signIn(hub.address)
      const module = makeUpModule('person', 3)
      const person = { reference_number: 'R-1', full_name: 'Ann Unmistakable', data: {} }
      module.records.push(JSON.stringify(person))
      const platform = await startPlatform(t, { name: 'archive', modules: [module] })
      await registerPlatform(operator, platform)
      await pullAndWait(operator)
      const find = () => listRecords(operator, 'q=unmistakable')
      await eventually('all records are indexed', async () => {
        const status: { lag: number } = JSON.parse(
          await ask(operator, 'GET', '/api/v1/search/status'),
        )
        return status.lag === 0 ? true : null
      })
      assert.equal((await find()).length, 1)
      await deleteEntries(engine, kit)
      assert.equal((await find()).length, 0)

      const { code, stderr } = await kit.sandbox.run(['search', 'rebuild'])
      assert.deepEqual([code, stderr], [0, []])
      await eventually('the record is found again', async () =>
        (await find()).length === 1 ? true : null,
      )
    },
  )
}

async function deleteEntries(
  engine: ProcessEngine,
  { sandbox, askDatabase }: EngineSandbox,
): Promise<void> {
  if (engine.name === 'PostgreSQL') {
    await askDatabase('DELETE FROM record_search')
    return
  }
  using index = new DatabaseSync(join(sandbox.folder, 'data', 'recordhub.search.sqlite'))
  index.exec(`INSERT INTO record_search (record_search) VALUES ('delete-all')`)
}
