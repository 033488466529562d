/** The outbox delivers every record exactly once when real hubs and platforms are killed under load. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { findFreePort } from '../helpers/process/free-port.ts'
import { KIT_RECORDS, type QueuedChanges, startKit } from '../helpers/process/kit.ts'
import type { Operator } from '../helpers/process/operator.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { PROCESS_TEST, test } from '../helpers/process/sandbox.ts'

/** Page size of the history in the hub. */
const HISTORY_PAGE = 100

for (const engine of enginesForTier(sqlite)) {
  test(
    `queued pushes are delivered although hub and platform are killed (${engine.name})`,
    async (t) => {
      const { sandbox } = await engine.createSandbox(t)
      // A fixed port that no other connection uses while the hub is stopped.
      const env = { PORT: String(await findFreePort()) }
      let hub = await sandbox.startHub({ env })
      const restartHub = async () => {
        hub = await sandbox.startHub({ env })
      }
      const { operator, hubApiKey } = await registerPusher(t, hub)
      const outbox = join(sandbox.folder, 'platform', 'outbox')
      const settings = { hubUrl: hub.address, hubApiKey, outbox, name: 'kit' }
      const queued = new Map<string, number>()

      let platform = startKit(t, settings, queued)
      await platform.enqueueMore(60)
      await hub.stop('SIGKILL')
      await platform.enqueueMore(60)
      await restartHub()
      await platform.enqueueMore(60)
      await platform.kill()
      platform = startKit(t, settings, queued)
      await platform.enqueueMore(30)
      // Kills both: the platform is killed while it cannot deliver its queued pushes.
      await hub.stop('SIGKILL')
      await platform.enqueueMore(60)
      await platform.kill()
      platform = startKit(t, settings, queued)
      await platform.enqueueMore(30)
      await restartHub()
      await platform.drain()
      await checkRecords(operator, queued)
      await platform.kill()
    },
    { timeout: 2 * PROCESS_TEST.timeout },
  )
}

async function checkRecords(operator: Operator, queued: QueuedChanges): Promise<void> {
  const listed = await operator.findRecords('record_type=case&sort=record_id')
  const records = listed.filter(({ reference_number }) => reference_number.startsWith('kit-'))
  assert.equal(records.length, KIT_RECORDS, 'each record is stored once')
  for (const { record_id, reference_number, full_name, incomplete, data } of records) {
    const turn = Number(data['turn'])
    // A push that was being written when the platform was killed may have been queued without being reported.
    assert.ok(
      turn >= (queued.get(reference_number) ?? 0),
      `the last push of ${reference_number} is missing`,
    )
    assert.equal(full_name, reference_number)
    assert.equal(incomplete, false)
    for (let field = 0; field < 5; field += 1) {
      const expected = turn - ((turn - field + 5) % 5)
      assert.equal(data[`field_${field}`] ?? 0, expected > 0 ? expected : 0, reference_number)
    }
    const turns = (await operator.history(record_id)).map(({ changes }) =>
      Number(changes.find(({ path }) => path === '/data/turn')?.after),
    )
    // Newest first: each turn was stored once and in order.
    const all = Array.from({ length: turn - 1 }, (_, index) => turn - index)
    assert.deepEqual(turns, all.slice(0, turns.length))
    assert.equal(turns.length, Math.min(turn - 1, HISTORY_PAGE))
  }
}
