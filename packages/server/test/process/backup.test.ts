/** `recordhub backup` next to a hub that is in use, and `recordhub restore`. */
import assert from 'node:assert/strict'
import { assertAtomicWrites, sqlite } from '../helpers/process/engine.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { FILE, restore, runBackup } from './backup.ts'

test('a backup during pushes restores all pushes that were acknowledged before it', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  const { hubApiKey, ledger } = await registerPusher(t, hub)
  const pushing = startPushing(t, [hub], ledger, { name: 'load', hubApiKey, connections: 2 })
  await pushing.untilAttempts(6, isAcknowledged)
  const before = pushing.attempts.filter(isAcknowledged).map(({ push }) => push)
  await runBackup(kit.sandbox)
  await pushing.finish()
  await hub.stop()

  await restore(kit, FILE)
  const rows = await kit.queryDatabase('SELECT reference_number, data FROM records')
  const records = new Map(rows.map((row) => [row['reference_number'], String(row['data'])]))
  for (const { reference_number, data } of before) {
    const stored: Record<string, unknown> = JSON.parse(records.get(reference_number) ?? '{}')
    for (const [key, value] of Object.entries(data)) assert.deepEqual(stored[key], value)
  }
  await assertAtomicWrites(kit.queryDatabase)
})
