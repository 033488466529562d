import type { LeaseStore } from '../port/lease-store.ts'
import { type Databases, nowText } from './schema/databases.ts'

export function createLeaseStore({ writer, clock }: Databases): LeaseStore {
  return {
    async acquire(name, owner, seconds) {
      const expires_at = new Date(clock.now().getTime() + seconds * 1000).toISOString()
      const lease = { owner, expires_at }
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

    async release(name, owner) {
      await writer
        .deleteFrom('leases')
        .where('name', '=', name)
        .where('owner', '=', owner)
        .execute()
    },
  }
}
