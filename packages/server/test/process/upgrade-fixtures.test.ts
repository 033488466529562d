/** Data of released schemas, upgraded by the start of the current program. test/upgrade/ has the fixtures. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import { migrations } from '../../src/storage/sqlite/migrations/index.ts'
import { createDatabase } from '../helpers/postgres/database.ts'
import {
  createPostgresSandbox,
  type EngineSandbox,
  type ProcessEngine,
  postgres,
  sqlite,
} from '../helpers/process/engine.ts'
import { createOperatorClient, sendRequest, signIn } from '../helpers/process/operator.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import {
  FIXTURE_SECRET,
  type FixtureEngine,
  listFixtures,
  loadPostgres,
  loadSqlite,
  readFixture,
  readState,
} from '../upgrade/fixture.ts'

/** Retention must not delete rows of an old fixture. */
const ENVIRONMENT = {
  HUB_SECRET: FIXTURE_SECRET,
  ...Object.fromEntries(
    ['ACTIVITY', 'HISTORY', 'PULLS', 'REJECTED', 'REVIEWS', 'COUNTERS', 'AUDIT'].map((name) => [
      `HUB_RETENTION_${name}_DAYS`,
      '0',
    ]),
  ),
}

const LAST_SCHEMA = Object.keys(migrations).at(-1)

const ENGINES: Record<FixtureEngine, ProcessEngine> = { sqlite, postgres }

async function load(
  t: Parameters<ProcessEngine['createSandbox']>[0],
  engine: FixtureEngine,
  dump: string,
): Promise<EngineSandbox> {
  if (engine === 'postgres') {
    const database = await createDatabase()
    await loadPostgres(database.url, dump)
    const kit = createPostgresSandbox(t, database.url)
    t.after(() => database.drop())
    return kit
  }
  const kit = await sqlite.createSandbox(t)
  const folder = join(kit.sandbox.folder, 'data')
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 'recordhub.sqlite')
  loadSqlite(path, dump)
  chmodSync(path, 0o600)
  return kit
}

/** The start has written a backup of the database before its upgrade, which can be restored. */
async function checkUpgradeBackup({ sandbox }: EngineSandbox): Promise<void> {
  const folder = join(sandbox.folder, 'data', 'backups')
  const [name = '', ...others] = readdirSync(folder).filter((one) => !one.startsWith('.'))
  assert.match(name, /^before-.*\.recordhub-backup$/)
  assert.deepEqual(others, [])
  const { code, stderr } = await sandbox.run(['restore', join(folder, name), '--check-only'], {
    env: ENVIRONMENT,
  })
  assert.equal(code, 0, stderr.join('\n'))
}

for (const schema of listFixtures()) {
  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`the data of schema ${schema} is complete after an upgrade (${ENGINES[engine].name})`, async (t) => {
      const { dump, expected } = readFixture(schema, engine)
      const kit = await load(t, engine, dump)
      const hub = await kit.sandbox.startHub({ env: ENVIRONMENT })
      const operator = await signIn(hub.address)
      assert.deepEqual(await readState(operator, kit.queryDatabase), expected.state)
      if (schema !== LAST_SCHEMA) await checkUpgradeBackup(kit)

      const { hub_api_key: hubApiKey, token } = expected.keys
      const program = createOperatorClient(hub.address, { Authorization: `Bearer ${token}` })
      await sendRequest(program, 'GET', '/api/v1/platforms')
      const push = (reference_number: string, note: string) =>
        pushOnce(
          { address: hub.address, hubApiKey },
          { method: 'POST', record_type: 'person', reference_number, data: { number: 1, note } },
        )
      const statuses = []
      // A new record, a changed record, and one that must stay erased.
      for (const reference of ['new-1', 'pushed-1', 'erased-1']) {
        const result = await push(reference, 'after the upgrade')
        statuses.push(result.kind === 'response' ? result.status : result.kind)
      }
      assert.deepEqual(statuses, [201, 200, 410])
      const key = JSON.parse(
        await sendRequest(operator, 'POST', '/api/v1/platforms/1/hub-key/reveal', {
          password: 'correct horse battery',
        }),
      )
      assert.equal(key.hub_api_key, hubApiKey)
      const { stdout } = await kit.sandbox.run(['doctor', '--json'], { env: ENVIRONMENT })
      const report: { checks: { name: string; status: string }[] } = JSON.parse(stdout.join('\n'))
      const problems = report.checks.filter(({ status }) => status === 'problem')
      assert.deepEqual(
        problems.map(({ name }) => name).filter((name) => name !== 'database settings'),
        // The platforms of the fixture do not exist.
        ['platforms'],
        stdout.join('\n'),
      )
    })
  }
}

describe('an older program', () => {
  for (const engine of [sqlite, postgres]) {
    test(`refuses a newer schema at its start (${engine.name})`, async (t) => {
      const kit = await engine.createSandbox(t)
      const hub = await kit.sandbox.startHub()
      await hub.stop()
      await addMigration(engine, kit)
      const refused = await kit.sandbox.run(['start'], { env: { PORT: '0' } })
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr.join('\n'),
        /A newer version .*\(9999-future\).*Start that version/,
      )
      const doctor = await kit.sandbox.run(['doctor', '--quick'])
      assert.equal(doctor.code, 1)
      assert.match(doctor.stdout.join('\n'), /newer version of Recordhub .*9999-future/)
      const out = join(kit.sandbox.folder, 'newer.recordhub-backup')
      const backup = await kit.sandbox.run(['backup', '--out', out])
      assert.equal(backup.code, 0, backup.stderr.join('\n'))
      const restored = await kit.sandbox.run(['restore', out, '--force'])
      assert.equal(restored.code, 1)
      assert.match(restored.stderr.join('\n'), /A newer version of Recordhub .*9999-future/)
    })
  }
})

async function addMigration({ name }: ProcessEngine, kit: EngineSandbox): Promise<void> {
  const statement = `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2126')`
  if (name === 'PostgreSQL') return void (await kit.queryDatabase(statement))
  loadSqlite(join(kit.sandbox.folder, 'data', 'recordhub.sqlite'), statement)
}

test('rollback lists the backups and what each would lose, and changes nothing', async (_, sandbox) => {
  const { dump } = readFixture('0001-initial-schema', 'sqlite')
  const folder = join(sandbox.folder, 'data')
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 'recordhub.sqlite')
  loadSqlite(path, dump)
  const none = await sandbox.run(['rollback'])
  assert.match(none.stdout.join('\n'), /There are no backups in .*backups/)
  const written = await sandbox.run(['backup'])
  assert.equal(written.code, 0, written.stderr.join('\n'))
  const same = await sandbox.run(['rollback'])
  assert.match(same.stdout.join('\n'), /No restore is needed and nothing is lost/)
  loadSqlite(
    path,
    `INSERT INTO kysely_migration (name, timestamp) VALUES ('9001-later', '2126');
     UPDATE write_sequence SET value = value + 2;
     UPDATE records SET change_seq = (SELECT value FROM write_sequence) WHERE record_id = 1;`,
  )
  const { code, stdout } = await sandbox.run(['rollback'])
  assert.equal(code, 0)
  const text = stdout.join('\n')
  assert.match(text, /has the schema 9001-later/)
  assert.match(text, / 1 records that were created or changed, 0 deletions/)
  assert.match(text, /recordhub restore \S+\.recordhub-backup --force/)
})
