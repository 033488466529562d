/**
 * Simulates a full disk: a file size limit prevents the growth of the write-ahead log of the database,
 * and `prlimit` lifts the limit while the hub runs.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pushUntilRejected } from '../helpers/process/ledger.ts'
import { listRecords, requestPull } from '../helpers/process/operator.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { PUSHED_TYPE, registerPusher } from '../helpers/process/push-loop.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process/sandbox.ts'

test(
  'a full disk rejects pushes with 503 and loses no acknowledged push',
  PROCESS_TEST,
  async (t) => {
    const sandbox = createSandbox(t)
    // In kilobytes. A soft limit can be raised again without privileges.
    const hub = await sandbox.startHub({ shell: 'ulimit -S -f 2048' })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const target = { address: hub.address, hubApiKey }

    const fill = (name: string) =>
      pushUntilRejected(target, ledger, {
        name,
        recordType: PUSHED_TYPE,
        connections: 8,
        targetResponses: Number.POSITIVE_INFINITY,
        onTarget: () => undefined,
        padding: 'x'.repeat(20_000),
      })
    for (const name of ['fill', 'fill-again']) {
      let rejected = 0
      for (const result of await fill(name)) {
        assert.ok(result.kind === 'response', 'the hub still responds')
        if (result.status < 300) continue
        rejected += 1
        assert.equal(result.status, 503, result.text)
        assert.match(result.retryAfter ?? '', /^\d+$/)
        assert.equal(JSON.parse(result.text).code, 'storage_unavailable')
      }
      assert.equal(rejected, 8, 'each connection got one rejection')
    }
    // Small updates may be among the rejected pushes too.
    assert.ok(ledger.unacknowledged().length > 0, 'new records were rejected')
    assert.ok((await listRecords(operator)).length > 3, 'stored records can be read')
    await ledger.assertStored(operator)

    const pid = String(hub.child.pid)
    await t.test('the same process stores pushes again once there is space', async () => {
      execFileSync('prlimit', ['--pid', pid, '--fsize=unlimited:'])
      const unacknowledged = ledger.unacknowledged()
      for (const push of unacknowledged) ledger.record(push, await pushOnce(target, push))
      assert.deepEqual(ledger.unacknowledged(), [])
      assert.equal((await requestPull(operator)).status, 202)
      await ledger.assertStored(operator)
    })

    await t.test('a hub stopped while the disk is full exits with code 0', async () => {
      execFileSync('prlimit', ['--pid', pid, '--fsize=4096:'])
      const late = { record_type: PUSHED_TYPE, reference_number: 'late', data: {} }
      const rejected = await pushOnce(target, { ...late, method: 'POST' })
      assert.equal(rejected.kind === 'response' && rejected.status, 503)
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
      assert.deepEqual(hub.stderr, [])
    })

    const restarted = await sandbox.startHub()
    await ledger.assertStored(operator.at(restarted.address))
  },
)
