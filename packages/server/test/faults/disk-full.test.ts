/**
 * A full disk, had without a disk of one's own: a limit on the size of files lets the database's log
 * grow no further, and `prlimit` lifts it while the hub runs.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pushUntilRefused } from '../helpers/process/ledger.ts'
import { listRecords, requestPull } from '../helpers/process/operator.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { PUSHED_TYPE, registerPusher } from '../helpers/process/pushing.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process/sandbox.ts'

test(
  'a full disk refuses pushes with 503 and loses nothing that was acknowledged',
  PROCESS_TEST,
  async (t) => {
    const sandbox = createSandbox(t)
    // In kilobytes, and soft: what is soft may be raised again without privileges.
    const hub = await sandbox.startHub({ shell: 'ulimit -S -f 2048' })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const target = { address: hub.address, hubApiKey }

    const fill = (name: string) =>
      pushUntilRefused(target, ledger, {
        name,
        recordType: PUSHED_TYPE,
        connections: 8,
        enough: Number.POSITIVE_INFINITY,
        onEnough: () => undefined,
        ballast: 'x'.repeat(20_000),
      })
    for (const name of ['fill', 'fill-again']) {
      let refused = 0
      for (const result of await fill(name)) {
        assert.ok(result.kind === 'answered', 'the hub goes on answering')
        if (result.status < 300) continue
        refused += 1
        assert.equal(result.status, 503, result.text)
        assert.match(result.retryAfter ?? '', /^\d+$/)
        assert.equal(JSON.parse(result.text).code, 'storage_unavailable')
      }
      assert.equal(refused, 8, 'each connection met the full disk')
    }
    // Changes, which are small, may be among what was refused too.
    assert.ok(ledger.unacknowledged().length > 0, 'new records were refused')
    assert.ok((await listRecords(operator)).length > 3, 'what is stored can be read')
    await ledger.check(operator)

    const pid = String(hub.child.pid)
    await t.test('once there is space, the same process stores again', async () => {
      execFileSync('prlimit', ['--pid', pid, '--fsize=unlimited:'])
      const unacknowledged = ledger.unacknowledged()
      for (const push of unacknowledged) ledger.note(push, await pushOnce(target, push))
      assert.deepEqual(ledger.unacknowledged(), [])
      assert.equal((await requestPull(operator)).status, 202)
      await ledger.check(operator)
    })

    await t.test('stopped while the disk is full, it ends well', async () => {
      execFileSync('prlimit', ['--pid', pid, '--fsize=4096:'])
      const late = { record_type: PUSHED_TYPE, reference_number: 'late', data: {} }
      const refused = await pushOnce(target, { ...late, method: 'POST' })
      assert.equal(refused.kind === 'answered' && refused.status, 503)
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
      assert.deepEqual(hub.stderr, [])
    })

    const again = await sandbox.startHub()
    await ledger.check(operator.at(again.address))
  },
)
