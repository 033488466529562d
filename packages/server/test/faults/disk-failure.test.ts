/** A disk whose writes or fsyncs fail, simulated by a library that is loaded with LD_PRELOAD. */
import assert from 'node:assert/strict'
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { noShim } from '../helpers/process/compile-shim.ts'
import { createDiskFaults, type DiskFault } from '../helpers/process/disk-faults.ts'
import { assertAtomicWrites, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { createPush, pushUntilRejected } from '../helpers/process/ledger.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { deepOnly, rounds } from '../helpers/time/tier.ts'

type Failure = { name: string; fault: Omit<DiskFault, 'once'> }

const DATABASE = 'recordhub.sqlite'
const LOG = `${DATABASE}-wal`
const THREE_CHECKPOINTS_MS = 1500
const FAILURES: Failure[] = [
  {
    name: 'fsync of the log: EIO',
    fault: { call: 'sync', file: LOG, error: 'EIO', thread: 'main' },
  },
  {
    name: 'fsync of the log: ENOSPC',
    fault: { call: 'sync', file: LOG, error: 'ENOSPC', thread: 'main' },
  },
  {
    name: 'write to the log: EIO',
    fault: { call: 'write', file: LOG, error: 'EIO' },
  },
  {
    name: 'data folder turns read-only',
    fault: { call: 'write', file: LOG, error: 'EROFS' },
  },
  {
    name: 'fsync of the log in a checkpoint: EIO',
    fault: { call: 'sync', file: LOG, error: 'EIO', thread: 'other' },
  },
  {
    name: 'write of a checkpoint: EIO',
    fault: { call: 'write', file: DATABASE, error: 'EIO' },
  },
  {
    name: 'fsync of a checkpoint: EIO',
    fault: { call: 'sync', file: DATABASE, error: 'EIO' },
  },
]

test(
  'a hub whose disk fails stops at once, and the next start checks the database',
  async (t) => {
    const { sandbox, queryDatabase } = await sqlite.createSandbox(t)
    const faults = createDiskFaults(sandbox.folder)
    const startHub = () => sandbox.startHub({ env: faults.environment })
    let hub = await startHub()
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)

    for (const { name, fault } of FAILURES) {
      const report = createFaultReport(name, 'SQLite')
      for (let round = 0; round < rounds(1, 3); round += 1) {
        await t.test(`${name}, ${round}`, async () => {
          const failing = hub
          const results = await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
            name: `${name}-${round}`,
            connections: 8,
            targetResponses: 30,
            onTarget() {
              report.caused()
              faults.cause({ ...fault, once: true })
            },
          })
          assert.deepEqual(await failing.ended, { code: 1, signal: null })
          assert.equal(faults.isPending(), false)
          for (const result of results) {
            if (result.kind !== 'response' || result.status < 300) continue
            assert.equal(result.status, 503, result.text)
            assert.match(result.retryAfter ?? '', /^\d+$/)
            assert.equal(JSON.parse(result.text).code, 'storage_failed')
          }
          const messages = failing.stderr.filter((line) => /stops and acknowledges/.test(line))
          assert.equal(messages.length, 1, 'there is one message')
          assert.match(messages[0] ?? '', /a read or write of the disk failed: disk I\/O error/)
          assert.match(messages[0] ?? '', /The next start checks the whole database\./)
          assert.ok(existsSync(join(sandbox.folder, 'data', LOG)), 'nothing is written at the end')

          report.ended()
          hub = await startHub()
          await hub.untilPrinted(/Checking the whole database .* because at .* disk I\/O error/)
          await hub.untilPrinted(/The database is not damaged/)
          const target = { address: hub.address, hubApiKey }
          for (const push of ledger.unacknowledged()) {
            ledger.record(push, await pushOnce(target, push))
            report.recovered()
          }
          assert.deepEqual(ledger.unacknowledged(), [], 'the hub accepts pushes again')
        })
      }
      report.save(await ledger.compare(operator.at(hub.address)))
    }
    await ledger.assertStored(operator.at(hub.address))
    await assertAtomicWrites(queryDatabase)
  },
  { skip: noShim },
)

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
  { skip: noShim || deepOnly.skip },
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
