/** A disk whose writes or fsyncs fail, simulated by a library that is loaded with LD_PRELOAD. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noShim } from '../helpers/process/compile-shim.ts'
import { createDiskFaults, type DiskFault } from '../helpers/process/disk-faults.ts'
import { assertAtomicWrites, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { pushUntilRejected } from '../helpers/process/ledger.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { DATABASE, LOG } from './disk-failure.ts'

type Failure = { name: string; fault: Omit<DiskFault, 'once'> }
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

    for (const { name, fault } of isDeep ? FAILURES : FAILURES.slice(0, 1)) {
      const report = createFaultReport(name, 'SQLite')
      for (let round = 0; round < rounds(1, 3); round += 1) {
        await t.test(`${name}, ${round}`, async () => {
          const failing = hub
          const results = await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
            name: `${name}-${round}`,
            connections: rounds(4, 8),
            targetResponses: rounds(8, 30),
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
