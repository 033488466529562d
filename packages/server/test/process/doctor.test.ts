/** `recordhub doctor` beside a running hub, after its end, and on damaged files. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type EngineSandbox,
  enginesForTier,
  LOCK_MS,
  type ProcessEngine,
  sqlite,
} from '../helpers/process/engine.ts'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import { runDoctor } from './doctor.ts'

/** Changes the database behind the back of a running hub. */
async function changeDatabase(
  { name }: ProcessEngine,
  { sandbox, queryDatabase }: EngineSandbox,
  statement: string,
): Promise<void> {
  if (name === 'PostgreSQL') return void (await queryDatabase(statement))
  const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
  using database = new DatabaseSync(path, { timeout: LOCK_MS })
  database.exec(statement)
}

for (const engine of enginesForTier(sqlite)) {
  test(`problems beside a running hub are found and repaired (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    const operator = await connectOperator(hub)
    const platform = await startPlatform(t, {
      name: 'archive',
      modules: [generateModule('person', 3)],
    })
    const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
    const push = async (reference_number: string) => {
      const record = { reference_number, record_type: 'person', data: {} }
      const result = await pushOnce({ ...hub, hubApiKey }, { method: 'POST', ...record })
      assert.equal(result.kind === 'response' && result.status < 300, true)
    }
    for (const reference of ['R-1', 'R-2', 'R-3']) await push(reference)
    const healthy = await runDoctor(kit)
    assert.deepEqual(healthy.bad, [], JSON.stringify(healthy.report))
    assert.equal(healthy.code, healthy.expectedCode)
    assert.equal(healthy.report.database?.hub_running, true)

    await changeDatabase(engine, kit, 'UPDATE module_counters SET records = records + 40')
    await changeDatabase(
      engine,
      kit,
      `INSERT INTO leases VALUES ('job', 'a process', '2999-01-01T00:00:00.000Z')`,
    )
    const found = await runDoctor(kit)
    assert.deepEqual([found.code, found.bad], [1, ['counters', 'leases']])
    const quick = await runDoctor(kit, '--quick')
    assert.deepEqual(quick.bad, ['leases'])

    const fixed = await runDoctor(kit, '--fix')
    assert.deepEqual([fixed.code, fixed.bad], [fixed.expectedCode, []])
    assert.deepEqual(
      fixed.report.repairs.flatMap(({ changes }) => changes),
      ['archive/person: 3 records, was 43.', 'Deleted the lease of the job "job".'],
    )
    await push('R-4')
    const [row] = await kit.queryDatabase('SELECT sum(records) AS n FROM module_counters')
    assert.equal(Number(row?.['n']), 4)
    const audited = await kit.queryDatabase(
      `SELECT target FROM audit WHERE action = 'doctor.repair' ORDER BY target`,
    )
    assert.deepEqual(
      audited.map((entry) => entry['target']),
      ['counters', 'leases'],
    )
    await hub.stop()
    const stopped = await runDoctor(kit)
    assert.equal(stopped.report.database?.hub_running, false)
    assert.deepEqual(stopped.bad, [])
  })
}
