import type { LeaseStore } from '../port/lease-store.ts'
import { type Databases, nowText } from './schema/databases.ts'

export function createLeaseStore({ writer, clock }: Databases): LeaseStore {
  const inSeconds = (seconds: number) =>
    new Date(clock.now().getTime() + seconds * 1000).toISOString()

  return {
    async acquire(name, owner, seconds) {
      const lease = { owner, expires_at: inSeconds(seconds) }
      const acquired = await writer
        .insertInto('leases')
        .values({ name, ...lease })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(lease)
            .where('leases.expires_at', '<', nowText(clock)),
        )
        .returning('name')
        .executeTakeFirst()
      return acquired !== undefined
    },

    async renew(name, owner, seconds) {
      const renewed = await writer
        .updateTable('leases')
        .set({ expires_at: inSeconds(seconds) })
        .where('name', '=', name)
        .where('owner', '=', owner)
        .where('expires_at', '>=', nowText(clock))
        .returning('name')
        .executeTakeFirst()
      return renewed !== undefined
    },

    async release(name, owner) {
      await writer
        .deleteFrom('leases')
        .where('name', '=', name)
        .where('owner', '=', owner)
        .execute()
    },
  }
}
