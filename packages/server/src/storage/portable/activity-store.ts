import type { ActivityStore } from '../port/activity-store.ts'
import { type HoldsLower, listActivity } from './activity-lists.ts'
import { insertActivity, insertAudit } from './activity-rows.ts'
import { type Databases, nowText } from './databases.ts'

export function createActivityStore(
  { reader, writer, clock }: Databases,
  holdsLower: HoldsLower,
): ActivityStore {
  return {
    appendActivity: (line) => insertActivity(writer, nowText(clock), line),
    appendAudit: (entry) => insertAudit(writer, nowText(clock), entry),
    listActivity: (query) => listActivity(reader, holdsLower, query),
  }
}
