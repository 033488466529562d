import { sql } from 'kysely'
import { REFERENCES_PURPOSE } from '../../../domain/platform/api-key.ts'
import type { ConnectionStore, EncryptedText, SecretStore } from '../../port/platform-store.ts'
import { insertAudit, insertLog } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { findRow, updateRows } from '../schema/rows.ts'
import { insertHubKey, insertSecret } from './platform-rows.ts'
import type { PlatformChanges } from './platform-store.ts'

const HOUR_MS = 60 * 60 * 1000

export function createConnectionStore(
  { reader, writer }: Databases,
  { change }: PlatformChanges,
): ConnectionStore {
  return {
    async readHubKeys(platformId, at) {
      const rows = await reader
        .selectFrom('hub_keys')
        .select(['hint', 'created_at', 'expires_at', 'last_used_at'])
        .where('platform_id', '=', platformId)
        .where('revoked_at', 'is', null)
        .orderBy('hub_key_id', 'desc')
        .execute()
      return rows
        .filter(({ expires_at }) => expires_at === null || expires_at > at)
        .map((key) => ({ ...key }))
    },

    async readEncryptedHubKey(platformId) {
      const row = await reader
        .selectFrom('hub_keys as k')
        .innerJoin('secrets as s', 's.secret_id', 'k.secret_id')
        .select('s.ciphertext')
        .where('k.platform_id', '=', platformId)
        .where('k.revoked_at', 'is', null)
        .orderBy('k.hub_key_id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.ciphertext ?? null
    },

    rotateHubKey: ({ platform_id, hub_key, old_expires_at, at }, log) =>
      change(['write authorization'], async (db) => {
        const platform = await findRegisteredPlatform(db, platform_id)
        if (!platform) return false
        await db
          .updateTable('hub_keys')
          .set({ expires_at: old_expires_at })
          .where('platform_id', '=', platform_id)
          .where((eb) =>
            eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', old_expires_at)]),
          )
          .execute()
        await insertHubKey(db, platform_id, hub_key, at)
        await insertLog(db, at, log, platform)
        return true
      }),

    endOldHubKeys: ({ platform_id, at }, log) =>
      change(['write authorization'], async (db) => {
        const platform = await findRegisteredPlatform(db, platform_id)
        if (!platform) return false
        // Only a rotation sets an expiry, so the newest key has none.
        const match = { platform_id, expires_at: sql`> ${at}` }
        if ((await updateRows(db, 'hub_keys', match, { expires_at: at })) === 0) return false
        await insertLog(db, at, log, platform)
        return true
      }),

    async recordCertificate({ origin, expires_at, read_at }) {
      const prefix = `${origin}/`
      const hourBefore = new Date(Date.parse(read_at) - HOUR_MS).toISOString()
      await writer
        .updateTable('platforms')
        .set({ certificate_expires_at: expires_at, certificate_read_at: read_at })
        .where(
          sql<boolean>`substr(source_base_url || '/', 1, ${sql.lit(prefix.length)}) = ${prefix}`,
        )
        .where('removed_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('certificate_expires_at', 'is', null),
            eb('certificate_expires_at', '<>', expires_at),
            eb('certificate_read_at', '<=', hourBefore),
            // The clock has been set back.
            eb('certificate_read_at', '>', read_at),
          ]),
        )
        .execute()
    },
  }
}

async function findRegisteredPlatform(db: Executor, platformId: number) {
  const match = { platform_id: platformId, removed_at: null }
  return findRow(db, 'platforms', match, ['platform_id', 'platform_name'])
}

/** @param isOnlyProcess returns whether no other process uses the database. */
export function createSecretStore(
  { reader, transact }: Databases,
  isOnlyProcess: (db: Executor) => Promise<boolean>,
): SecretStore {
  return {
    ensureReferencesKey: (offered) =>
      transact(['secrets'], async (db, at) => {
        const stored = await findRow(db, 'secrets', { purpose: REFERENCES_PURPOSE }, ['ciphertext'])
        if (stored) return stored.ciphertext
        await insertSecret(db, REFERENCES_PURPOSE, offered, at)
        return offered
      }),

    listEncrypted: () => listEncrypted(reader),

    async reencrypt(texts, audit) {
      try {
        await transact(['secrets'], async (db, at) => {
          if (!(await isOnlyProcess(db))) throw new Rollback('in_use')
          if (!areUnchanged(await listEncrypted(db), texts)) throw new Rollback('changed')
          for (const { before, ciphertext } of texts)
            await replaceCiphertext(db, before, ciphertext)
          await db.deleteFrom('operator_sessions').execute()
          await db.deleteFrom('operator_verifications').execute()
          await insertAudit(db, at, audit)
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
    await updateRows(db, 'secrets', { secret_id: Number(id) }, { ciphertext })
    return
  }
  const change = of === 'totp secret' ? { secret: ciphertext } : { backup_codes: ciphertext }
  await db.updateTable('operator_second_factors').set(change).where('id', '=', id).execute()
}
