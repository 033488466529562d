import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import type { OperatorStore } from '../../../src/storage/port/operator-store.ts'
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
import { authKysely, countRows, runSql } from '../../helpers/storage/sql.ts'

const AUDIT = { actor: 'ann@example.org', action: 'token.created', target: 'ci', address: null }

onEachEngine((engine) => {
  describe(`operators on ${engine.name}`, () => {
    test(
      'hasOperators returns true once Better Auth has created an operator',
      withStorage(engine, async ({ storage }) => {
        assert.equal(await storage.operators.hasOperators(), false)
        await runSql(
          storage,
          `INSERT INTO operators (id, name, email, email_verified, created_at, updated_at)
           VALUES ('ann', 'Ann', 'ann@example.org', false, '2026-03-10', '2026-03-10')`,
        )
        assert.equal(await storage.operators.hasOperators(), true)
      }),
    )

    test(
      'a created token is found by its hash, with its role, and recorded in the audit log',
      withStorage(engine, async ({ storage, clock }) => {
        const { operators } = storage
        const given = newToken({ role: 'operator', expires_at: '2027-01-01T00:00:00.000Z' })
        const token = await operators.createToken(given, AUDIT)
        const { id, ...rest } = token
        assert.ok(id > 0)
        const { token_hash, operator_id, ...shown } = given
        assert.deepEqual(rest, { ...shown, created_at: clock.text, last_used_at: null })
        const found = await operators.findToken(token_hash, clock.text)
        assert.deepEqual(found, { token, operator_id })
        assert.equal(await operators.findToken('another hash', clock.text), null)
        assert.equal(await operators.findToken('', clock.text), null)
        assert.equal(only(await runSql(storage, 'SELECT * FROM audit'))['action'], 'token.created')
      }),
    )

    test(
      'a token with a duplicate hash is not created and not recorded in the audit log',
      withStorage(engine, async ({ storage, clock }) => {
        const { operators } = storage
        const first = await operators.createToken(newToken(), AUDIT)
        await assert.rejects(operators.createToken(newToken({ name: 'other' }), AUDIT))
        assert.equal((await operators.findToken('hash', clock.text))?.token.name, first.name)
        assert.equal(await countRows(storage, 'audit'), 1)
      }),
    )

    test(
      'a token is valid until it expires, and a token without an expiry stays valid',
      withStorage(engine, async ({ storage: { operators } }) => {
        const expires_at = '2026-03-10T09:00:00.000Z'
        await operators.createToken(newToken({ expires_at }), AUDIT)
        await operators.createToken(newToken({ token_hash: 'no expiry' }), AUDIT)
        assert.ok(await operators.findToken('hash', '2026-03-10T08:59:59.999Z'))
        assert.equal(await operators.findToken('hash', expires_at), null)
        assert.ok(await operators.findToken('no expiry', '2126-03-10T09:00:00.000Z'))
      }),
    )

    test(
      'a revoked token is not found',
      withStorage(engine, async ({ storage, clock }) => {
        await storage.operators.createToken(newToken(), AUDIT)
        await runSql(storage, `UPDATE api_tokens SET revoked_at = '${clock.text}'`)
        assert.equal(await storage.operators.findToken('hash', clock.text), null)
      }),
    )

    test(
      'the last use of a token is recorded at most once a minute',
      withStorage(engine, async ({ storage: { operators } }) => {
        await operators.createToken(newToken(), AUDIT)
        const lastUseAt = async (at: string) =>
          (await operators.findToken('hash', at))?.token.last_used_at
        assert.equal(await lastUseAt('2026-03-10T09:00:10.000Z'), null)
        assert.equal(await lastUseAt('2026-03-10T09:00:20.000Z'), '2026-03-10T09:00:10.000Z')
        assert.equal(await lastUseAt('2026-03-10T09:02:00.000Z'), '2026-03-10T09:00:10.000Z')
        assert.equal(await lastUseAt('2026-03-10T09:02:01.000Z'), '2026-03-10T09:02:00.000Z')
      }),
    )

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

type NewToken = Parameters<OperatorStore['createToken']>[0]

function newToken(over: Partial<NewToken> = {}): NewToken {
  const token = { name: 'ci', role: 'viewer', token_hash: 'hash', hint: 'rht_…' } as const
  return { ...token, expires_at: null, operator_id: null, created_by: 'ann', ...over }
}
