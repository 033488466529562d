import { REFERENCES_PURPOSE } from '../../../domain/platform/api-key.ts'
import type { SealedText, SecretStore } from '../../port/secret-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { insertSecret } from './key-rows.ts'

/** @param isAlone tells whether no other process uses the database. */
export function createSecretStore(
  { reader, writer, clock, acquireLock }: Databases,
  isAlone: (db: Executor) => Promise<boolean>,
): SecretStore {
  return {
    ensureReferencesKey: (offered) =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'secrets')
        const stored = await db
          .selectFrom('secrets')
          .select('sealed')
          .where('purpose', '=', REFERENCES_PURPOSE)
          .executeTakeFirst()
        if (stored) return stored.sealed
        await insertSecret(db, REFERENCES_PURPOSE, offered, nowText(clock))
        return offered
      }),

    listSealed: () => listSealed(reader),

    async reseal(texts, audit) {
      try {
        await writer.transaction().execute(async (db) => {
          await acquireLock(db, 'secrets')
          if (!(await isAlone(db))) throw new Rollback('in_use')
          if (!areUnchanged(await listSealed(db), texts)) throw new Rollback('changed')
          for (const { before, sealed } of texts) await replaceSealed(db, before, sealed)
          await db.deleteFrom('operator_sessions').execute()
          await db.deleteFrom('operator_verifications').execute()
          await insertAudit(db, nowText(clock), audit)
        })
        return 'resealed'
      } catch (error) {
        if (error instanceof Rollback) return error.outcome
        throw error
      }
    },
  }
}

/** Thrown to roll back the transaction. */
class Rollback extends Error {
  readonly outcome: 'changed' | 'in_use'

  constructor(outcome: 'changed' | 'in_use') {
    super(outcome)
    this.outcome = outcome
  }
}

async function listSealed(db: Executor): Promise<SealedText[]> {
  const secrets = await db
    .selectFrom('secrets')
    .select(['secret_id', 'purpose', 'sealed'])
    .where('sealed', '!=', '')
    .orderBy('secret_id')
    .execute()
  const factors = await db
    .selectFrom('operator_second_factors')
    .select(['id', 'operator_id', 'secret', 'backup_codes'])
    .orderBy('id')
    .execute()
  return [
    ...secrets.map(({ secret_id, purpose, sealed }) => ({
      ...{ of: 'secret' as const, id: String(secret_id), purpose, sealed },
    })),
    ...factors.flatMap(({ id, operator_id: purpose, secret, backup_codes }) => [
      { of: 'totp secret' as const, id, purpose, sealed: secret },
      { of: 'recovery codes' as const, id, purpose, sealed: backup_codes },
    ]),
  ]
}

function areUnchanged(stored: SealedText[], texts: { before: SealedText }[]): boolean {
  const keyOf = ({ of, id, sealed }: SealedText) => JSON.stringify([of, id, sealed])
  const expected = new Set(texts.map(({ before }) => keyOf(before)))
  return stored.length === texts.length && stored.every((text) => expected.has(keyOf(text)))
}

async function replaceSealed(db: Executor, { of, id }: SealedText, sealed: string): Promise<void> {
  if (of === 'secret') {
    await db.updateTable('secrets').set({ sealed }).where('secret_id', '=', Number(id)).execute()
    return
  }
  const change = of === 'totp secret' ? { secret: sealed } : { backup_codes: sealed }
  await db.updateTable('operator_second_factors').set(change).where('id', '=', id).execute()
}
