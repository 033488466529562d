/** `recordhub doctor` beside a running hub, after its end, and on damaged files. */
import assert from 'node:assert/strict'
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'node:test'
import {
  ENGINES,
  type EngineSandbox,
  LOCK_MS,
  type ProcessEngine,
  sqlite,
} from '../helpers/process/engine.ts'
import { registerPlatform, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'

type Report = {
  healthy: boolean
  database: { hub_running: boolean } | null
  error: string | null
  checks: { name: string; status: string; findings: { severity: string; message: string }[] }[]
  repairs: { name: string; changes: string[] }[]
}

async function runDoctor({ sandbox }: Pick<EngineSandbox, 'sandbox'>, ...args: string[]) {
  const { code, stdout } = await sandbox.run(['doctor', '--json', ...args])
  const report: Report = JSON.parse(stdout.join('\n'))
  const problems = report.checks
    .filter(({ status }) => status === 'problem')
    .map(({ name }) => name)
  // The commits of the test's PostgreSQL do not wait for the disk.
  const bad = problems.filter((name) => name !== 'database settings')
  return { code, report, bad, expectedCode: problems.length > 0 ? 1 : 0 }
}

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

for (const engine of ENGINES) {
  describe(`recordhub doctor on ${engine.name}`, () => {
    test('problems beside a running hub are found and repaired', async (t) => {
      const kit = await engine.createSandbox(t)
      const hub = await kit.sandbox.startHub()
      const operator = await signIn(hub.address)
      const platform = await startPlatform(t, {
        name: 'archive',
        modules: [generateModule('person', 3)],
      })
      const { hub_api_key: hubApiKey } = await registerPlatform(operator, platform)
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
  })
}

describe('recordhub doctor', () => {
  test('without a database, the other checks run and the exit code is 2', async (t) => {
    const kit = await sqlite.createSandbox(t)
    const { code, report } = await runDoctor(kit)
    assert.equal(code, 2)
    assert.match(report.error ?? '', /There is no database at/)
    const statuses = new Map(report.checks.map(({ name, status }) => [name, status]))
    assert.deepEqual([statuses.get('versions'), statuses.get('schema')], ['ok', 'skipped'])
    const unreachable = await kit.sandbox.run(['doctor'], {
      env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    })
    assert.equal(unreachable.code, 2)
    assert.match(unreachable.stdout.at(-1) ?? '', /cannot be used/)
    const wrong = await kit.sandbox.run(['doctor', '--timeout', '-1'])
    assert.equal(wrong.code, 2)
  })

  test('a damaged database is reported and not written', async (t) => {
    const kit = await sqlite.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    await hub.stop()
    const path = join(kit.sandbox.folder, 'data', 'recordhub.sqlite')
    const { size } = statSync(path)
    writeFileSync(path, Buffer.alloc(size - 8192, 0x5a), { flag: 'r+' })
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    const { mtimeMs } = statSync(path)
    const { code, report, bad } = await runDoctor(kit, '--fix')
    assert.equal(code, 1)
    assert.ok(bad.includes('integrity'), JSON.stringify(report))
    assert.deepEqual(report.repairs, [])
    assert.equal(statSync(path).mtimeMs, mtimeMs)
  })

  test('invalid settings and open permissions are reported', async (t) => {
    const kit = await sqlite.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    await hub.stop()
    const secret = join(kit.sandbox.folder, 'data', 'recordhub.secret')
    chmodSync(secret, 0o644)
    const { code, stdout } = await kit.sandbox.run(['doctor', '--quick', '--fix'], {
      env: { HUB_SESSION_DAYS: 'many', HUB_NONSENSE: '1' },
    })
    assert.equal(code, 1)
    const output = stdout.join('\n')
    assert.match(output, /HUB_SESSION_DAYS: must be a whole number/)
    assert.match(output, /HUB_NONSENSE is not a setting/)
    assert.match(output, /Restricted .*recordhub\.secret to its owner/)
    assert.equal(statSync(secret).mode & 0o777, 0o600)
    const { code: invalid } = await kit.sandbox.run(['doctor'], {
      env: { DATABASE_URL: 'mysql://x' },
    })
    assert.equal(invalid, 2)
  })
})
