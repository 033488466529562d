/**
 * A hub is killed at random moments of its work while a platform pushes. The seed selects the moments among all
 * accesses to the database that the work makes. The quick tier kills it during a pull only.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Backup, BackupRun, Pull, StoredRecord } from '@recordhub/protocol'
import {
  type EngineSandbox,
  enginesForTier,
  type QueryDatabase,
  sqlite,
} from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import type { Operator } from '../helpers/process/operator.ts'
import { generateModule, type SimulatedModule, startPlatform } from '../helpers/process/platform.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { OPERATOR, PROCESS_TEST, type RunningHub, test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'
import { CONNECTIONS, createKit } from './kills.ts'

const RECORDS = rounds(50, 1500)
const OLD_ROWS = rounds(200, 3000)

type Hub = EngineSandbox & {
  t: TestContext
  /** Of the running hub. */
  operator: Operator
  /** The module of the platform that is pulled. */
  module: SimulatedModule
  /** The record that is erased. */
  erased: Pick<StoredRecord, 'record_id' | 'reference_number'>
}

type Work = {
  fault: string
  /** Makes the work possible again. */
  prepare: (hub: Hub) => Promise<void>
  /** Resolves when the work is complete. Rejects when the hub is killed. */
  run: (hub: Hub) => Promise<void>
  /** Checks a hub that was started after the kill. */
  check: (hub: Hub) => Promise<void>
}

const WORKS: readonly Work[] = [
  {
    fault: 'SIGKILL during a pull',
    async prepare({ operator, module }) {
      const version = `after pull ${(await readLatestPull(operator)).id}`
      module.records = module.records.map((text) => {
        const record = JSON.parse(text)
        return JSON.stringify({ ...record, data: { ...record.data, version } })
      })
    },
    async run({ operator }) {
      await operator.pullAll()
    },
    async check({ operator, module }) {
      // The hub may have been killed before it responded to the request of the pull.
      const { id } = await readLatestPull(operator)
      const { pull: interrupted } = await operator.untilPullEnds(id)
      if (interrupted.state !== 'succeeded') {
        assert.equal(interrupted.state, 'interrupted')
        const log = await operator.request('GET', '/api/v1/activity?kind=pull.interrupted')
        assert.match(log, new RegExp(`Pull ${id} `), 'the log says that it was interrupted')
      }
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      assert.deepEqual(
        (await listPulled(operator)).map(({ data }) => data),
        module.records.map((text) => JSON.parse(text).data),
      )
    },
  },
  {
    fault: 'SIGKILL during a revert',
    async prepare({ operator, module }) {
      module.records = module.records.map((text) => {
        const record = JSON.parse(text)
        return JSON.stringify({ ...record, data: { ...record.data, note: 'good' } })
      })
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      module.records = module.records.map((text) => {
        const record = JSON.parse(text)
        return JSON.stringify({ ...record, data: { ...record.data, note: 'bad' } })
      })
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
    },
    async run({ operator }) {
      const { id: pull_id } = await readLatestPull(operator)
      const body = { scope: { pull_id }, reason: 'a bad list' }
      const planned = JSON.parse(await operator.request('POST', '/api/v1/reverts', body))
      await startRevert(operator, planned.revert.id)
    },
    async check(hub) {
      const { operator, module, queryDatabase } = hub
      const { id: pull_id } = await readLatestPull(operator)
      const list = await operator.request('GET', `/api/v1/reverts?pull_id=${pull_id}`)
      const [revert] = JSON.parse(list).reverts
      // The hub may have been killed before it stored the plan or its start.
      if (!revert) await this.run(hub)
      else if (revert.state === 'planned') await startRevert(operator, revert.id)
      else await untilReverted(operator, revert.id)
      const notes = (await listPulled(operator)).map(({ data }) => data['note'])
      assert.deepEqual(new Set(notes), new Set(['good']))
      const records = module.records.length
      assert.equal(notes.length, records)
      const reverted = JSON.parse(
        await operator.request('GET', `/api/v1/reverts?pull_id=${pull_id}`),
      ).reverts[0]
      const { reverted: count, held_now } = reverted.counts
      assert.deepEqual([count, held_now], [records, records])
      assert.equal(
        await countRows(queryDatabase, `FROM record_history WHERE revert_id = ${reverted.id}`),
        records,
      )
      // Nothing comes back before the holds are lifted.
      await operator.pullAll()
      assert.deepEqual(
        new Set((await listPulled(operator)).map(({ data }) => data['note'])),
        new Set(['good']),
      )
      await operator.request('DELETE', `/api/v1/reverts/${reverted.id}/holds`)
      await operator.pullAll()
      assert.deepEqual(
        (await listPulled(operator)).map(({ data }) => data),
        module.records.map((text) => JSON.parse(text).data),
      )
    },
  },
  {
    fault: 'SIGKILL during the removal of a platform',
    async prepare({ t, operator }) {
      const modules = [generateModule('visit', RECORDS)]
      await operator.registerModules(await startPlatform(t, { name: 'leaving', modules }))
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
    },
    async run({ operator }) {
      const leaving = await findLeaving(operator)
      const body = { platform_name: 'leaving' }
      await operator.request('DELETE', `/api/v1/platforms/${leaving?.id}`, body)
      await operator.untilRemovalsEnd()
    },
    async check(hub) {
      const { operator, queryDatabase } = hub
      // The hub may have been killed before it stored the request.
      if (await findLeaving(operator)) await this.run(hub)
      else await operator.untilRemovalsEnd()
      assert.equal(
        await countRows(queryDatabase, "FROM records WHERE reference_number LIKE 'visit-%'"),
        0,
      )
      assert.equal((await listPulled(operator)).length, RECORDS)
    },
  },
  {
    fault: 'SIGKILL during the erasure of a record',
    async prepare(hub) {
      // The last record of the module, which the platform deletes too.
      const { reference_number } = JSON.parse(hub.module.records.pop() ?? '')
      const found = (await listPulled(hub.operator)).find(
        (record) => record.reference_number === reference_number,
      )
      assert.ok(found)
      hub.erased = found
    },
    async run({ operator, erased }) {
      const path = `/api/v1/records/${erased.record_id}/erase`
      await operator.request('POST', path, { mode: 'erase' })
    },
    async check(hub) {
      const { operator, queryDatabase, module } = hub
      const { record_id, reference_number } = hub.erased
      const pulled = await listPulled(operator)
      if (pulled.some((record) => record.record_id === record_id)) await this.run(hub)
      const { status } = await operator.call('GET', `/api/v1/records/${record_id}`)
      assert.ok(status === 404 || status === 410, `status ${status}`)
      for (const table of ['records', 'record_history', 'activity']) {
        const rows = `FROM ${table} WHERE record_id = ${record_id}`
        assert.equal(await countRows(queryDatabase, rows), 0, table)
      }
      const remaining = (await listPulled(operator)).map((record) => record.reference_number)
      assert.ok(!remaining.includes(reference_number))
      assert.equal(remaining.length, module.records.length)
    },
  },
  {
    fault: 'SIGKILL during retention',
    async prepare({ changeDatabase }) {
      await changeDatabase(`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OLD_ROWS})
        INSERT INTO hourly_counters (day, hour, platform_id, node, received_post, received_patch,
          received_pull, created, updated, unchanged, stale, rejected)
        SELECT '2000-01-01', '2000-01-01T00', i, 'old', 0, 0, 0, 0, 0, 0, 0, 0 FROM n`)
    },
    run: deleteOldRows,
    async check(hub) {
      await deleteOldRows(hub)
      const recent = 'FROM hourly_counters WHERE received_post > 0'
      assert.ok((await countRows(hub.queryDatabase, recent)) > 0, 'recent rows are not deleted')
    },
  },
  {
    fault: 'SIGKILL during a backup',
    prepare: async () => undefined,
    async run({ operator }) {
      await operator.request('POST', '/api/v1/backups', {})
      assert.equal((await untilBackupEnds(operator)).state, 'succeeded')
    },
    async check(hub) {
      const { backups } = await readBackups(hub.operator)
      for (const { file, problem } of backups) assert.equal(problem, null, file)
      await this.run(hub)
      const { folder, ...after } = await readBackups(hub.operator)
      assert.equal(after.backups.length, backups.length + 1)
      // A killed backup leaves a hidden file, which backups delete from an hour later on.
      const files = readdirSync(join(hub.sandbox.folder, folder))
      const names = files.filter((name) => !/^\..*\.partial$/.test(name))
      assert.deepEqual(names.toSorted(), after.backups.map(({ file }) => file).toSorted())
    },
  },
]

for (const engine of enginesForTier(sqlite)) {
  test(
    `a hub killed at random moments of its work completes it after a restart, and loses no acknowledged push (${engine.name})`,
    async (t) => {
      const { moments, ...kit } = await createKit(t, engine)
      const { sandbox, queryDatabase } = kit
      const env = moments.env
      const hubs: [RunningHub] = [await sandbox.startHub({ env })]
      const { operator: first, hubApiKey, ledger } = await registerPusher(t, hubs[0])
      const module = generateModule('person', RECORDS)
      const platform = await startPlatform(t, { name: 'archive', modules: [module] })
      await first.registerModules(platform)
      const nothing = { record_id: 0, reference_number: '' }
      const hub: Hub = { ...kit, t, module, operator: first, erased: nothing }
      assert.equal((await first.pullAll()).pull.state, 'succeeded')

      for (const work of isDeep ? WORKS : WORKS.slice(0, 1)) {
        const report = createFaultReport(work.fault, engine.name)
        const before = ledger.acknowledged()
        await work.prepare(hub)
        const count = await moments.count(hubs[0], () => work.run(hub))
        for (let round = 0; round < rounds(1, 4); round += 1) {
          await work.prepare(hub)
          const name = `${work.fault}-${round}`
          const pushing = startPushing(t, hubs, ledger, {
            name,
            hubApiKey,
            connections: CONNECTIONS,
          })
          const killed = hubs[0]
          await moments.arm(killed, count)
          await Promise.race([work.run(hub).catch(() => undefined), killed.ended])
          // A kill at a later moment than the end of the work.
          await killed.stop('SIGKILL')
          report.caused()
          report.ended()
          hubs[0] = await sandbox.startHub({ env })
          hub.operator = first.at(hubs[0].address)
          await pushing.untilAttempts(1, isAcknowledged)
          report.recovered()
          await work.check(hub)
          await pushing.finish()
          assert.deepEqual(ledger.unacknowledged(), [])
        }
        const compared = await ledger.compare(hub.operator)
        report.save({ ...compared, acknowledged: compared.acknowledged - before })
        await ledger.assertStored(hub.operator)
      }
      const stopped = await hubs[0].stop()
      assert.deepEqual(stopped, { code: 0, signal: null })
      assert.equal(
        await countRows(queryDatabase, "FROM records WHERE reference_number NOT LIKE 'person-%'"),
        await countRows(queryDatabase, "FROM activity WHERE kind = 'push.created'"),
      )
    },
    { timeout: rounds(1, 4) * PROCESS_TEST.timeout },
  )
}

async function deleteOldRows({ operator, queryDatabase, changeDatabase }: Hub): Promise<void> {
  await until(async () => {
    await operator.request('GET', '/healthz')
    // Retention runs at most once an hour. The lease of a killed hub expires in that time.
    await changeDatabase("DELETE FROM leases WHERE name = 'retention'")
    const old = await countRows(queryDatabase, "FROM hourly_counters WHERE node = 'old'")
    return old === 0 ? true : null
  }, 'the old rows are deleted')
}

async function readLatestPull(operator: Operator): Promise<Pull> {
  const { pulls }: { pulls: Pull[] } = JSON.parse(await operator.request('GET', '/api/v1/pulls'))
  return pulls[0] ?? assert.fail('there is no pull')
}

const listPulled = (operator: Operator) => operator.findRecords('record_type=person&sort=record_id')

async function findLeaving(operator: Operator) {
  const platforms = await operator.platforms()
  return platforms.find(({ platform_name }) => platform_name === 'leaving')
}

type Backups = { folder: string; backups: Backup[]; run: BackupRun | null }

async function readBackups(operator: Operator): Promise<Backups> {
  return JSON.parse(await operator.request('GET', '/api/v1/backups'))
}

async function untilBackupEnds(operator: Operator) {
  return until(async () => {
    const { run } = await readBackups(operator)
    return run && run.state !== 'running' ? run : null
  }, 'the backup ends')
}

async function countRows(queryDatabase: QueryDatabase, from: string): Promise<number> {
  return Number((await queryDatabase(`SELECT count(*) AS n ${from}`))[0]?.['n'])
}

async function startRevert(operator: Operator, id: number): Promise<void> {
  const { password } = OPERATOR
  await operator.request('POST', `/api/v1/reverts/${id}/start`, { password })
  await untilReverted(operator, id)
}

async function untilReverted(operator: Operator, id: number): Promise<void> {
  await until(async () => {
    const { revert } = JSON.parse(await operator.request('GET', `/api/v1/reverts/${id}`))
    return revert.state === 'succeeded' ? true : null
  }, 'the revert has succeeded')
}
