import {
  keepAccepted,
  type RejectionGroup,
  type StoredRejectionGroup,
} from '../../../domain/record/rejection-groups.ts'
import type { RejectedPushStore } from '../../port/rejected-push-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

export function parseGroups(text = '[]'): StoredRejectionGroup[] {
  return JSON.parse(text)
}

export function isAccepted({ accepted_at }: StoredRejectionGroup): boolean {
  return accepted_at !== null
}

/** Replaces the groups of a module after a complete read. The transaction has the lock of rejected pushes. */
export async function saveGroups(
  db: Executor,
  { module_id }: { module_id: number },
  found: readonly RejectionGroup[],
): Promise<void> {
  const stored = await db
    .selectFrom('modules')
    .select('rejection_groups')
    .where('module_id', '=', module_id)
    .executeTakeFirst()
  const rejection_groups = JSON.stringify(
    keepAccepted(parseGroups(stored?.rejection_groups), found),
  )
  if (rejection_groups === stored?.rejection_groups) return
  await db
    .updateTable('modules')
    .set({ rejection_groups })
    .where('module_id', '=', module_id)
    .execute()
}

/** Returns the modules that have rejected records, of one platform or of all. */
export function listModulesWithGroups(db: Executor, platform: string | null) {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id', 'm.rejection_groups'])
    .where('m.rejection_groups', '!=', '[]')
    .where('p.removed_at', 'is', null)
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  return select.execute()
}

export function createRejectionAcceptance({
  writer,
  clock,
  acquireLock,
}: Databases): Pick<RejectedPushStore, 'acceptRejections'> {
  return {
    acceptRejections: ({ platform, cause, digest, by }, log) =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'rejected pushes')
        const at = nowText(clock)
        for (const { module_id, rejection_groups } of await listModulesWithGroups(db, platform)) {
          const groups = parseGroups(rejection_groups)
          const group = groups.find((one) => one.cause === cause)
          if (!group) continue
          if (digest !== null && group.digest !== digest) return 'changed'
          const acceptance =
            digest === null
              ? { accepted_at: null, accepted_by: null }
              : { accepted_at: at, accepted_by: by }
          const changed = groups.map((one) => (one === group ? { ...one, ...acceptance } : one))
          await db
            .updateTable('modules')
            .set({ rejection_groups: JSON.stringify(changed) })
            .where('module_id', '=', module_id)
            .execute()
          await insertLog(db, at, log(group.count))
          return 'stored'
        }
        return 'unknown'
      }),
  }
}
