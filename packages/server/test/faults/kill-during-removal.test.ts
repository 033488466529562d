import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Removal } from '@recordhub/protocol'
import {
  ENGINES,
  type EngineSandbox,
  LOCK_MS,
  type ProcessEngine,
  type QueryDatabase,
  sqlite,
} from '../helpers/process/engine.ts'
import {
  listRecords,
  type Operator,
  pullAndWait,
  registerPlatform,
  sendRequest,
  signIn,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const REMOVED = isDeep ? 12_000 : 2000
const OTHERS = 200

for (const engine of ENGINES) {
  test(
    `a removal interrupted by killing the hub is completed after a restart (${engine.name})`,
    PROCESS_TEST,
    async (t) => {
      const { sandbox, queryDatabase } = await engine.createSandbox(t)
      const hub = await sandbox.startHub()
      const operator = await signIn(hub.address)
      const register = async (name: string, count: number) => {
        const platform = await startPlatform(t, {
          name,
          modules: [generateModule('person', count)],
        })
        return (await registerPlatform(operator, platform)).platform
      }
      const removed = await register('removed', REMOVED)
      await register('other', OTHERS)
      await pullAndWait(operator)
      const others = await listRecords(operator, 'platform=other')

      const path = `/api/v1/platforms/${removed.id}`
      // Blocks one record so that the removal cannot finish before the hub is killed.
      const blockedId = await count(
        queryDatabase,
        `SELECT min(record_id) FROM records WHERE platform_id = ${removed.id}`,
      )
      const allowDeletion = await preventDeletion(engine, { sandbox, queryDatabase }, blockedId)
      await sendRequest(operator, 'DELETE', path, { platform_name: 'removed' })
      await until(
        async () => ((await readRemoval(operator)).removed > 0 ? true : null),
        'some records are removed',
      )
      await hub.stop('SIGKILL')
      await allowDeletion()
      const halfway = await count(queryDatabase, 'SELECT count(*) FROM records')
      assert.ok(halfway > OTHERS && halfway < REMOVED + OTHERS, `${halfway} records remain`)
      const deletions = await count(queryDatabase, 'SELECT count(*) FROM record_deletions')
      assert.equal(deletions, REMOVED + OTHERS - halfway)

      const restarted = operator.at((await sandbox.startHub()).address)
      const removal = await until(async () => {
        const read = await readRemoval(restarted)
        return read.finished_at === null ? null : read
      }, 'the removal ends')
      assert.equal(removal.removed, REMOVED)
      assert.equal(await count(queryDatabase, 'SELECT count(*) FROM record_deletions'), REMOVED)
      assert.deepEqual(await listRecords(restarted, 'platform=other'), others)
      assert.equal(await count(queryDatabase, 'SELECT count(*) FROM records'), OTHERS)
      assert.equal(await count(queryDatabase, 'SELECT sum(records) FROM module_counters'), OTHERS)
      assert.equal(await count(queryDatabase, 'SELECT count(*) FROM platforms'), 1)
      assert.equal(await count(queryDatabase, 'SELECT sum(created) FROM hourly_counters'), OTHERS)
    },
  )
}

/** Makes the database reject the deletion of this record. @returns a function that allows it again. */
async function preventDeletion(
  engine: ProcessEngine,
  { sandbox, queryDatabase }: EngineSandbox,
  recordId: number,
) {
  const execute = async (statement: string) => {
    if (engine !== sqlite) return void (await queryDatabase(statement))
    const database = new DatabaseSync(join(sandbox.folder, 'data', 'recordhub.sqlite'), {
      timeout: LOCK_MS,
    })
    database.exec(statement)
    database.close()
  }
  const trigger = `BEFORE DELETE ON records FOR EACH ROW WHEN (OLD.record_id = ${recordId})`
  if (engine === sqlite) {
    await execute(
      `CREATE TRIGGER prevent_deletion ${trigger} BEGIN SELECT RAISE(ABORT, 'prevented'); END`,
    )
    return () => execute('DROP TRIGGER prevent_deletion')
  }
  await execute(
    `CREATE FUNCTION prevent_deletion() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RAISE 'prevented'; END $$;
     CREATE TRIGGER prevent_deletion ${trigger} EXECUTE FUNCTION prevent_deletion()`,
  )
  return () => execute('DROP TRIGGER prevent_deletion ON records; DROP FUNCTION prevent_deletion')
}

async function readRemoval(operator: Operator): Promise<Removal> {
  const { removals }: { removals: Removal[] } = JSON.parse(
    await sendRequest(operator, 'GET', '/api/v1/removals'),
  )
  const [removal] = removals
  assert.ok(removal)
  return removal
}

/** PostgreSQL returns sums and counts as strings. */
async function count(queryDatabase: QueryDatabase, sql: string): Promise<number> {
  return Number(Object.values((await queryDatabase(sql))[0] ?? {})[0])
}
