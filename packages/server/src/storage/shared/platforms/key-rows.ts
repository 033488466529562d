import type { StoredHubKey } from '../../port/platform-store.ts'
import type { Executor } from '../schema/databases.ts'

export async function insertHubKey(
  db: Executor,
  platform_id: number,
  { key_hash, hint, ciphertext }: StoredHubKey,
  at: string,
): Promise<void> {
  await db
    .insertInto('hub_keys')
    .values({
      platform_id,
      key_hash,
      hint,
      secret_id: await insertSecret(db, 'hub key', ciphertext, at),
      created_at: at,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

export async function insertSecret(
  db: Executor,
  purpose: string,
  ciphertext: string,
  at: string,
): Promise<number> {
  const { secret_id } = await db
    .insertInto('secrets')
    .values({ purpose, ciphertext, created_at: at })
    .returning('secret_id')
    .executeTakeFirstOrThrow()
  return secret_id
}
