import { sql } from 'kysely'
import type { ConnectionStore } from '../../port/connection-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { insertHubKey } from './key-rows.ts'
import type { PlatformChanges } from './platform-store.ts'

const HOUR_MS = 60 * 60 * 1000

export function createConnectionStore(
  { reader, writer, acquireLock }: Databases,
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
      change(async (db) => {
        await acquireLock(db, 'write authorization')
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
  return db
    .selectFrom('platforms')
    .select(['platform_id', 'platform_name'])
    .where('platform_id', '=', platformId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
}
