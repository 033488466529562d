import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { test } from '../../helpers/storage/engines.ts'
import { only, outcomesOf, pushWrite, type write } from '../../helpers/storage/fixtures.ts'
import { authKysely } from '../../helpers/storage/sql.ts'

test('a push during a Better Auth transaction is stored even if the transaction rolls back', async (kit) => {
  const school = await kit.register()
  const database = authKysely(kit.storage)
  const pushes: ReturnType<typeof write>[] = []
  const rolledBack = database.transaction().execute(async (transaction) => {
    await sql`INSERT INTO retention (noun, complete_since) VALUES ('rolled back', '2026-03-10')`.execute(
      transaction,
    )
    pushes.push(kit.write(pushWrite(school)))
    await sql`SELECT count(*) FROM records`.execute(transaction)
    throw new Error('Roll back')
  })
  await assert.rejects(rolledBack, /Roll back/)
  assert.deepEqual(outcomesOf((await Promise.all(pushes)).flat()), ['created'])
  only(await kit.records())
  assert.equal(await kit.countRows('retention'), 0)
})

test('Better Auth transactions and pushes run concurrently', async (kit) => {
  const school = await kit.register()
  const database = authKysely(kit.storage)
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      await school.post({ reference: `r-${index}` })
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
  assert.equal(await kit.countRows('retention'), 30)
  assert.equal((await kit.records()).length, 30)
})
