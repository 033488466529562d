import type { LeaseStore } from '../port/lease-store.ts'
import type { Databases } from './schema/databases.ts'

export function createLeaseStore({ writer, clock }: Databases): LeaseStore {
  return {
    async acquire(name, owner, seconds, from) {
      const now = clock.now().getTime()
      const begin = from?.getTime() ?? now
      const expires_at = new Date(begin + seconds * 1000).toISOString()
      const lease = { owner, expires_at }
      // Later than any lease of this name ends, unless the clock was set back since.
      const latestEnd = new Date(now + 2 * seconds * 1000).toISOString()
      const acquired = await writer
        .insertInto('leases')
        .values({ name, ...lease })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(lease)
            .where((eb) =>
              eb.or([
                eb('leases.expires_at', '<', new Date(begin).toISOString()),
                eb('leases.expires_at', '>', latestEnd),
              ]),
            ),
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
