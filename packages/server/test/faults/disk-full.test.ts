/** A full disk: the data folder of the hub is a file system in memory, which the test fills and frees. */
import assert from 'node:assert/strict'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { scrapeProcess, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { pushUntilRejected } from '../helpers/process/ledger.ts'
import { mountMemory, noMounts } from '../helpers/process/mounts.ts'
import {
  listRecords,
  type Operator,
  readSnapshot,
  registerPlatform,
  sendRequest,
  untilPullEnds,
  untilReady,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until, untilTrue } from '../helpers/time/until.ts'

const DISK_MEGABYTES = 64
/** Pulling them takes more space than the log has. */
const PULLED_RECORDS = 5000

test(
  'a full disk stops writes with its reason, and the hub continues without help once there is space',
  async (t, sandbox) => {
    const disk = await mountMemory(t, sandbox.folder, DISK_MEGABYTES)
    const ballast = join(disk.path, 'ballast')
    const report = createFaultReport('full disk', 'SQLite')
    const env = { ...WITH_METRICS, HUB_PULL_SCHEDULE: '* * * * * *' }
    const hub = await sandbox.startHub({ env, shell: disk.shell })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const target = { address: hub.address, hubApiKey }
    const pushUntilFull = (name: string) =>
      pushUntilRejected(target, ledger, {
        ...{ name, connections: 4, padding: 'x'.repeat(20_000) },
        targetResponses: Number.POSITIVE_INFINITY,
        onTarget: () => undefined,
      })

    for (let round = 0; round < rounds(1, 3); round += 1) {
      report.caused()
      fillDisk(ballast)
      for (const result of await pushUntilFull(`fill-${round}`)) {
        assert.ok(result.kind === 'response', 'the hub still responds')
        if (result.status >= 300) assertDiskFull(result.status, result.retryAfter, result.text)
      }
      const ready = await until(async () => {
        const response = await fetch(`${hub.address}/readyz`)
        return response.status === 503 ? response : null
      }, 'the hub is not ready')
      assertDiskFull(503, ready.headers.get('Retry-After'), await ready.text())
      assert.equal((await fetch(`${hub.address}/healthz`)).status, 200, 'the process is running')
      assert.ok((await listRecords(operator)).length >= 3, 'stored records can be read')

      rmSync(ballast)
      report.ended()
      for (const push of ledger.unacknowledged()) {
        ledger.record(push, await pushOnce(target, push))
        report.recovered()
      }
      assert.deepEqual(ledger.unacknowledged(), [])
      await untilReady(hub)
    }
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)

    await t.test('a pull ends with the reason, and the next scheduled one succeeds', async () => {
      const modules = [generateModule('student', PULLED_RECORDS)]
      const platform = await startPlatform(t, { name: 'school', modules })
      const { halfSent, release } = platform.pauseNextResponse()
      await registerPlatform(operator, platform)
      await halfSent
      const { id } = (await readSnapshot(operator)).pull.pull ?? assert.fail('no pull is running')
      fillDisk(ballast)
      release()
      await untilTrue('a write of the pull fails', async () => (await countFailedCommits(hub)) > 0)
      rmSync(ballast)
      const { pull, tasks } = await untilPullEnds(operator, id)
      assert.equal(pull.state, 'partial')
      const task = tasks.find(({ record_type }) => record_type === 'student')
      assert.equal(task?.state, 'failed')
      assert.match(task.error ?? '', /The disk of the hub's database is full/)
      await untilTrue('a scheduled pull succeeds', async () => {
        const { latest_sync } = await readSnapshot(operator)
        return latest_sync?.state === 'succeeded'
      })
      const pulled = await listRecords(operator, 'record_type=student')
      assert.equal(pulled.length, PULLED_RECORDS)
      await untilTrue('all is indexed', async () => (await readIndexLag(operator)) === 0)
    })

    await t.test('a hub can stop and start while the disk is full', async () => {
      fillDisk(ballast)
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
      assert.deepEqual(hub.stderr, [])
      const restarted = await sandbox.startHub({ shell: disk.shell })
      rmSync(ballast)
      await untilReady(restarted)
      const { lost, duplicated } = await ledger.compare(operator.at(restarted.address))
      assert.deepEqual({ lost, duplicated }, { lost: 0, duplicated: 0 })
    })
  },
  { skip: noMounts },
)

/** Writes a file until there is no space left. */
function fillDisk(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let size = 1 << 20; size >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1
      } catch {
        size >>= 1
      }
    }
  } finally {
    closeSync(file)
  }
}

function assertDiskFull(status: number, retryAfter: string | null | undefined, text: string): void {
  assert.equal(status, 503, text)
  assert.match(retryAfter ?? '', /^\d+$/)
  assert.equal(JSON.parse(text).code, 'disk_full')
}

async function countFailedCommits(hub: { address: string }): Promise<number> {
  const series = await scrapeProcess(hub)
  return series.get('recordhub_commit_failures_total{kind="pull"}') ?? 0
}

async function readIndexLag(operator: Operator): Promise<number> {
  return JSON.parse(await sendRequest(operator, 'GET', '/api/v1/search/status')).lag
}
