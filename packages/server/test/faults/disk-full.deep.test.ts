/** What a hub does while its disk is full, besides pushes. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { scrapeProcess } from '../helpers/hub/scrape.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { noMounts } from '../helpers/process/mounts.ts'
import { type Operator, untilReady } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { untilTrue } from '../helpers/time/until.ts'
import { fillAndFree, fillDisk, startHubOnSmallDisk } from './disk-full.ts'

/** Pulling them takes more space than the log has, which keeps the size that it had when the disk was full. */
const PULLED_RECORDS = 5000

test(
  'a full disk ends pulls with its reason, and a hub can stop and start while its disk is full',
  async (t, sandbox) => {
    const started = await startHubOnSmallDisk(t, sandbox)
    const { disk, ballast, hub, operator, ledger } = started

    await t.test('a pull ends with the reason, and the next scheduled one succeeds', async () => {
      const modules = [generateModule('student', PULLED_RECORDS)]
      const platform = await startPlatform(t, { name: 'school', modules })
      const { halfSent, release } = platform.pauseNextResponse()
      await operator.registerModules(platform)
      await halfSent
      const { id } = (await operator.snapshot()).pull.pull ?? assert.fail('no pull is running')
      fillDisk(ballast)
      release()
      await untilTrue('a write of the pull fails', async () => (await countFailedCommits(hub)) > 0)
      rmSync(ballast)
      const { pull, tasks } = await operator.untilPullEnds(id)
      assert.equal(pull.state, 'partial')
      const task = tasks.find(({ record_type }) => record_type === 'student')
      assert.equal(task?.state, 'failed')
      assert.match(task.error ?? '', /The disk of the hub's database is full/)
      await untilTrue('a scheduled pull succeeds', async () => {
        const { latest_sync } = await operator.snapshot()
        return latest_sync?.state === 'succeeded'
      })
      const pulled = await operator.findRecords('record_type=student')
      assert.equal(pulled.length, PULLED_RECORDS)
      await untilTrue('all is indexed', async () => (await readIndexLag(operator)) === 0)
    })

    const report = createFaultReport('full disk', 'SQLite')
    for (let round = 0; round < 3; round += 1) await fillAndFree(started, `fill-${round}`, report)
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)

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

async function countFailedCommits(hub: { address: string }): Promise<number> {
  const series = await scrapeProcess(hub)
  return series.get('recordhub_commit_failures_total{kind="pull"}') ?? 0
}

async function readIndexLag(operator: Operator): Promise<number> {
  return JSON.parse(await operator.request('GET', '/api/v1/search/status')).lag
}
