import { REFERENCES_PURPOSE } from '../../../domain/platform/api-key.ts'
import type { EncryptedText, SecretStore } from '../../port/secret-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { insertSecret } from './key-rows.ts'

/** @param isOnlyProcess returns whether no other process uses the database. */
export function createSecretStore(
  { reader, writer, clock, acquireLock }: Databases,
  isOnlyProcess: (db: Executor) => Promise<boolean>,
): SecretStore {
  return {
    ensureReferencesKey: (offered) =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'secrets')
        const stored = await db
          .selectFrom('secrets')
          .select('ciphertext')
          .where('purpose', '=', REFERENCES_PURPOSE)
          .executeTakeFirst()
        if (stored) return stored.ciphertext
        await insertSecret(db, REFERENCES_PURPOSE, offered, nowText(clock))
        return offered
      }),

    listEncrypted: () => listEncrypted(reader),

    async reencrypt(texts, audit) {
      try {
        await writer.transaction().execute(async (db) => {
          await acquireLock(db, 'secrets')
          if (!(await isOnlyProcess(db))) throw new Rollback('in_use')
          if (!areUnchanged(await listEncrypted(db), texts)) throw new Rollback('changed')
          for (const { before, ciphertext } of texts)
            await replaceCiphertext(db, before, ciphertext)
          await db.deleteFrom('operator_sessions').execute()
          await db.deleteFrom('operator_verifications').execute()
          await insertAudit(db, nowText(clock), audit)
        })
        return 'reencrypted'
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

async function listEncrypted(db: Executor): Promise<EncryptedText[]> {
  const secrets = await db
    .selectFrom('secrets')
    .select(['secret_id', 'purpose', 'ciphertext'])
    .where('ciphertext', '!=', '')
    .orderBy('secret_id')
    .execute()
  const factors = await db
    .selectFrom('operator_second_factors')
    .select(['id', 'operator_id', 'secret', 'backup_codes'])
    .orderBy('id')
    .execute()
  return [
    ...secrets.map(({ secret_id, purpose, ciphertext }) => ({
      ...{ of: 'secret' as const, id: String(secret_id), purpose, ciphertext },
    })),
    ...factors.flatMap(({ id, operator_id: purpose, secret, backup_codes }) => [
      { of: 'totp secret' as const, id, purpose, ciphertext: secret },
      { of: 'recovery codes' as const, id, purpose, ciphertext: backup_codes },
    ]),
  ]
}

function areUnchanged(stored: EncryptedText[], texts: { before: EncryptedText }[]): boolean {
  const keyOf = ({ of, id, ciphertext }: EncryptedText) => JSON.stringify([of, id, ciphertext])
  const expected = new Set(texts.map(({ before }) => keyOf(before)))
  return stored.length === texts.length && stored.every((text) => expected.has(keyOf(text)))
}

async function replaceCiphertext(
  db: Executor,
  { of, id }: EncryptedText,
  ciphertext: string,
): Promise<void> {
  if (of === 'secret') {
    await db
      .updateTable('secrets')
      .set({ ciphertext })
      .where('secret_id', '=', Number(id))
      .execute()
    return
  }
  const change = of === 'totp secret' ? { secret: ciphertext } : { backup_codes: ciphertext }
  await db.updateTable('operator_second_factors').set(change).where('id', '=', id).execute()
}
