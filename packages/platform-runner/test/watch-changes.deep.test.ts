/** Changes in the source database are pushed to a real hub, even when the runner is killed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { ENGINES_OF_TIER } from './helpers/engines.ts'
import { sharedHub } from './helpers/hub.ts'
import { now, registerRunner, waitForNames, write } from './helpers/watch.ts'

for (const engine of ENGINES_OF_TIER) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: only changes after the first start are pushed, each once, also those made while it is killed`,
    options,
    async (t) => {
      const { database, operator, sandbox, env, port, stored } = await registerRunner(
        t,
        engine,
        sharedHub(),
      )
      const killed = await sandbox.start(env)
      await killed.logs(/people: watching/)
      await write(engine, database, 3, 'Three')
      await waitForNames(stored, { 3: 'Three' })
      // Several changes within one second, the precision of some columns.
      for (const name of ['Drei', 'Trois', 'Tre']) {
        await write(engine, database, 3, name)
        await waitForNames(stored, { 3: name })
      }
      await killed.logs(/pushed people 3: created/)
      await killed.logs(/pushed people 3: updated/)
      await killed.stop('SIGKILL')
      // With the same timestamp.
      const rows = [4, 5, 6].map((id) => `(${id}, 'Made ${id}', ${now(engine)})`)
      await database.run(`INSERT INTO people VALUES ${rows.join()}`)
      const platform = await sandbox.start(env, port)
      await waitForNames(stored, { 3: 'Tre', 4: 'Made 4', 5: 'Made 5', 6: 'Made 6' })
      const [record] = await stored()
      assert.ok(record)
      assert.equal(record.incomplete, false)
      const history = await operator.history(record.record_id)
      assert.deepEqual(
        history.map(({ source }) => source),
        ['POST', 'POST', 'POST'],
      )
      // Only people is registered in the hub, of the two modules with a search.
      const found = Object(await (await platform.get('search?query=tre')).json())
      assert.deepEqual(
        found.records.map((one: { record_type: string }) => one.record_type),
        ['people'],
      )
      await database.run('ALTER TABLE people RENAME COLUMN name TO full_name')
      await platform.logs(
        /people: the columns have changed .*missing: name; new: full_name.*; restart recordhub-platform/,
      )
      assert.doesNotMatch(platform.log(), new RegExp(env.HUB_API_KEY))
      assert.equal(await platform.stop(), 0)
    },
  )
}
