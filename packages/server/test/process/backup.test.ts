/** `recordhub backup` next to a hub that is in use, and `recordhub restore`. */
import assert from 'node:assert/strict'
import { assertAtomicWrites, sqlite } from '../helpers/process/engine.ts'
import { listRecords, signIn } from '../helpers/process/operator.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { FILE, restore, runBackup } from './backup.ts'

test('a backup during pushes restores all pushes that were acknowledged before it', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  const { hubApiKey, ledger } = await registerPusher(t, hub)
  const pushing = startPushing(t, [hub], ledger, { name: 'load', hubApiKey, connections: 4 })
  await pushing.untilAttempts(20, isAcknowledged)
  const before = pushing.attempts.filter(isAcknowledged).map(({ push }) => push)
  await runBackup(kit.sandbox)
  await pushing.finish()
  await hub.stop()

  await restore(kit, FILE)
  const restored = await kit.sandbox.startHub()
  const listed = await listRecords(await signIn(restored.address))
  const records = new Map(listed.map((record) => [record.reference_number, record]))
  for (const { reference_number, data } of before) {
    const stored = records.get(reference_number)?.data ?? {}
    for (const [key, value] of Object.entries(data)) assert.deepEqual(stored[key], value)
  }
  await assertAtomicWrites(kit.queryDatabase)
})
