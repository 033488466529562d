/** What the activity tells of modules that go wrong and well again: each change once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { activityOf, pullAll, registerPlatform } from '../helpers/http-actions.ts'
import { startTestHub, type TestHub } from '../helpers/http-hub.ts'
import { simulatedRecord, simulatePlatform } from '../helpers/http-platform.ts'
import { respond } from '../helpers/http-respond.ts'
import type { StorageEngine } from '../helpers/storage-engine.ts'

async function taskLines(hub: TestHub): Promise<string[]> {
  const lines = (await activityOf(hub)).filter((line) => line.kind.startsWith('pull_task.'))
  return lines.map((line) => line.kind).reverse()
}

export function describePullTroubles(engine: StorageEngine): void {
  describe(`what a pull tells of troubles, on ${engine.name}`, () => {
    test('a failure is told once, another one too, and the recovery', async () => {
      await using hub = await startTestHub(engine)
      await using platform = await simulatePlatform()
      await registerPlatform(hub, platform)
      platform.behave('records/cases', respond.status(500))
      await pullAll(hub)
      await pullAll(hub)
      assert.deepEqual(await taskLines(hub), ['pull_task.failed'])
      platform.behave('records/cases', respond.status(404))
      await pullAll(hub)
      await pullAll(hub)
      platform.behave('records/cases', null)
      await pullAll(hub)
      await pullAll(hub)
      const told = ['pull_task.failed', 'pull_task.failed', 'pull_task.recovered']
      assert.deepEqual(await taskLines(hub), told)
    })

    test('the same rejected records are told once, and what is new all the same', async () => {
      await using hub = await startTestHub(engine)
      await using platform = await simulatePlatform()
      await registerPlatform(hub, platform)
      const [module] = platform.modules
      assert.ok(module)
      module.records.push(simulatedRecord(1, 'no object'), simulatedRecord(2))
      await pullAll(hub)
      await pullAll(hub)
      assert.deepEqual(await taskLines(hub), ['pull_task.succeeded'])
      module.records.push(simulatedRecord(3))
      await pullAll(hub)
      const lines = (await activityOf(hub)).filter((line) => line.kind.startsWith('pull_task.'))
      assert.deepEqual(
        lines.map((line) => line.level),
        ['info', 'warning'],
      )
      module.records.shift()
      await pullAll(hub)
      assert.equal((await taskLines(hub)).at(-1), 'pull_task.recovered')
    })
  })
}
