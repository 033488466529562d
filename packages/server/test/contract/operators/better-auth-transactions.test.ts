import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { authKysely, countRows } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`Better Auth transactions on ${engine.name}`, () => {
    test(
      'a push during a Better Auth transaction is stored even if the transaction rolls back',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const database = authKysely(kit.storage)
        const pushes: ReturnType<typeof write>[] = []
        const rolledBack = database.transaction().execute(async (transaction) => {
          await sql`INSERT INTO retention (noun, complete_since) VALUES ('rolled back', '2026-03-10')`.execute(
            transaction,
          )
          pushes.push(write(kit, pushWrite(school)))
          await sql`SELECT count(*) FROM records`.execute(transaction)
          throw new Error('Roll back')
        })
        await assert.rejects(rolledBack, /Roll back/)
        assert.deepEqual(outcomesOf((await Promise.all(pushes)).flat()), ['created'])
        only(await listRecords(kit.storage))
        assert.equal(await countRows(kit.storage, 'retention'), 0)
      }),
    )

    test(
      'Better Auth transactions and pushes run concurrently',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const database = authKysely(kit.storage)
        await Promise.all(
          Array.from({ length: 30 }, async (_, index) => {
            await write(kit, pushWrite(school, { reference: `r-${index}` }))
            await database.transaction().execute(async (transaction) => {
              const noun = `m-${index}`
              await sql`INSERT INTO retention (noun, complete_since) VALUES (${noun}, '2026-03-10')`.execute(
                transaction,
              )
              await sql`UPDATE retention SET complete_since = '2026-03-11' WHERE noun = ${noun}`.execute(
                transaction,
              )
            })
          }),
        )
        assert.equal(await countRows(kit.storage, 'retention'), 30)
        assert.equal((await listRecords(kit.storage)).length, 30)
      }),
    )
  })
})
