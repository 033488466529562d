/** A disk whose writes or fsyncs fail, simulated by a library that is loaded with LD_PRELOAD. */
import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { noShim } from '../helpers/process/compile-shim.ts'
import { createDiskFaults } from '../helpers/process/disk-faults.ts'
import { createPush } from '../helpers/process/ledger.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { DATABASE, LOG } from './disk-failure.ts'

const THREE_CHECKPOINTS_MS = 1500

test(
  'an exceeded quota is a full disk, also for checkpoints',
  async (t, sandbox) => {
    const faults = createDiskFaults(sandbox.folder)
    const hub = await sandbox.startHub({ env: faults.environment })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    // The database and `recordhub.probe`, but not the log: pushes succeed, and the checkpoints after them fail.
    faults.cause({ call: 'write', file: 'e', error: 'EDQUOT', once: false })
    const target = { address: hub.address, hubApiKey }
    const end = performance.now() + THREE_CHECKPOINTS_MS
    for (let number = 0; performance.now() < end; number += 1) {
      const push = createPush(`quota-${number}`, number)
      ledger.record(push, await pushOnce(target, push))
      assert.deepEqual(ledger.unacknowledged(), [])
    }
    faults.end()
    await ledger.assertStored(operator)
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  },
  { skip: noShim },
)

test(
  'after a failure, commands and damaged databases wait for a check',
  async (t, sandbox) => {
    const faults = createDiskFaults(sandbox.folder)
    const hub = await sandbox.startHub({ env: faults.environment })
    await registerPusher(t, hub)
    faults.cause({ call: 'sync', file: LOG, error: 'EIO', once: true })
    // The readiness check writes; the hub may end before it responds.
    await fetch(`${hub.address}/readyz`).catch(() => undefined)
    assert.deepEqual(await hub.ended, { code: 1, signal: null })

    const command = await sandbox.run(['token', 'create', '--name', 'reporting'])
    assert.equal(command.code, 1)
    assert.match(command.stderr.join('\n'), /must be checked first: at .* disk I\/O error/)

    damage(join(sandbox.folder, 'data', DATABASE))
    for (let attempt = 0; attempt < rounds(1, 2); attempt += 1) {
      const ended = await sandbox.run(['start'], { env: { PORT: '0' } })
      assert.equal(ended.code, 1)
      assert.match(ended.stderr.join('\n'), /is damaged, so the hub does not start/)
      assert.match(ended.stderr.join('\n'), /recordhub restore/)
    }
  },
  { skip: noShim },
)

test(
  'a failure of the disk while the hub stops is reported by its exit code',
  async (t, sandbox) => {
    const faults = createDiskFaults(sandbox.folder)
    const hub = await sandbox.startHub({ env: faults.environment })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    faults.cause({ call: 'write', file: DATABASE, error: 'EIO', once: false })
    // A checkpoint may have moved all earlier changes into the file already.
    const push = createPush('late', 0)
    ledger.record(push, await pushOnce({ address: hub.address, hubApiKey }, push))
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 1, signal: null })
    assert.match(hub.stderr.join('\n'), /stops and acknowledges nothing more/)
    faults.end()
    const restarted = await sandbox.startHub()
    await restarted.untilPrinted(/The database is not damaged/)
    await ledger.assertStored(operator.at(restarted.address))
  },
  { skip: noShim },
)

/** Overwrites pages after the first one, after moving newer versions of them from the log into the file. */
function damage(path: string): void {
  const database = new DatabaseSync(path)
  assert.equal(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'], 0)
  database.close()
  const file = openSync(path, 'r+')
  for (let page = 2; page < 40; page += 1) writeSync(file, 'damage', page * 4096)
  closeSync(file)
}
