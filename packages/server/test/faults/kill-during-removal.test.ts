import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Removal } from '@recordhub/protocol'
import {
  type AskDatabase,
  ENGINES,
  type EngineSandbox,
  LOCK_MS,
  type ProcessEngine,
  sqlite,
} from '../helpers/process/engine.ts'
import {
  ask,
  eventually,
  listRecords,
  type Operator,
  pullAndWait,
  registerPlatform,
  signIn,
} from '../helpers/process/operator.ts'
import { makeUpModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'

const DOOMED = isDeep ? 12_000 : 2000
const SPARED = 200

for (const engine of ENGINES) {
  test(
    `a removal interrupted by killing the hub is completed after a restart (${engine.name})`,
    PROCESS_TEST,
    async (t) => {
      const { sandbox, askDatabase } = await engine.createSandbox(t)
      const hub = await sandbox.startHub()
      const operator = await signIn(hub.address)
      const register = async (name: string, count: number) => {
        const platform = await startPlatform(t, { name, modules: [makeUpModule('person', count)] })
        return (await registerPlatform(operator, platform)).platform
      }
      const doomed = await register('doomed', DOOMED)
      await register('spared', SPARED)
      await pullAndWait(operator)
      const spared = await listRecords(operator, 'platform=spared')

      const path = `/api/v1/platforms/${doomed.id}`
      // Blocks one record so that the removal cannot finish before the hub is killed.
      const last = await count(
        askDatabase,
        `SELECT min(record_id) FROM records WHERE platform_id = ${doomed.id}`,
      )
      const letGo = await refuseDeletion(engine, { sandbox, askDatabase }, last)
      await ask(operator, 'DELETE', path, { platform_name: 'doomed' })
      await eventually('a part is removed', async () =>
        (await readRemoval(operator)).removed > 0 ? true : null,
      )
      await hub.stop('SIGKILL')
      await letGo()
      const halfway = await count(askDatabase, 'SELECT count(*) FROM records')
      assert.ok(halfway > SPARED && halfway < DOOMED + SPARED, `${halfway} were left`)
      const told = await count(askDatabase, 'SELECT count(*) FROM record_deletions')
      assert.equal(told, DOOMED + SPARED - halfway)

      const again = operator.at((await sandbox.startHub()).address)
      const removal = await eventually('the removal ends', async () => {
        const read = await readRemoval(again)
        return read.finished_at === null ? null : read
      })
      assert.equal(removal.removed, DOOMED)
      assert.equal(await count(askDatabase, 'SELECT count(*) FROM record_deletions'), DOOMED)
      assert.deepEqual(await listRecords(again, 'platform=spared'), spared)
      assert.equal(await count(askDatabase, 'SELECT count(*) FROM records'), SPARED)
      assert.equal(await count(askDatabase, 'SELECT sum(records) FROM module_counters'), SPARED)
      assert.equal(await count(askDatabase, 'SELECT count(*) FROM platforms'), 1)
      assert.equal(await count(askDatabase, 'SELECT sum(created) FROM hourly_counters'), SPARED)
    },
  )
}

/** Makes the database refuse to delete this record. Returns a function that allows it again. */
async function refuseDeletion(engine: ProcessEngine, of: EngineSandbox, recordId: number) {
  const change = async (statement: string) => {
    if (engine !== sqlite) return void (await of.askDatabase(statement))
    const database = new DatabaseSync(join(of.sandbox.folder, 'data', 'recordhub.sqlite'), {
      timeout: LOCK_MS,
    })
    database.exec(statement)
    database.close()
  }
  const when = `BEFORE DELETE ON records FOR EACH ROW WHEN (OLD.record_id = ${recordId})`
  if (engine === sqlite) {
    await change(`CREATE TRIGGER held ${when} BEGIN SELECT RAISE(ABORT, 'held'); END`)
    return () => change('DROP TRIGGER held')
  }
  await change(
    `CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'held'; END $$;
     CREATE TRIGGER held ${when} EXECUTE FUNCTION held()`,
  )
  return () => change('DROP TRIGGER held ON records; DROP FUNCTION held')
}

async function readRemoval(operator: Operator): Promise<Removal> {
  const { removals }: { removals: Removal[] } = JSON.parse(
    await ask(operator, 'GET', '/api/v1/removals'),
  )
  const [removal] = removals
  assert.ok(removal)
  return removal
}

/** PostgreSQL returns sums and counts as strings. */
async function count(askDatabase: AskDatabase, sql: string): Promise<number> {
  return Number(Object.values((await askDatabase(sql))[0] ?? {})[0])
}
