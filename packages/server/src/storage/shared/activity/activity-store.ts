import type { AuditEntry } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import type { ActivityStore } from '../../port/activity-store.ts'
import { type Databases, nowText } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'
import { type HoldsLower, listActivity } from './activity-lists.ts'
import { insertActivity, insertAudit } from './activity-rows.ts'

export function createActivityStore(
  { reader, writer, clock }: Databases,
  holdsLower: HoldsLower,
): ActivityStore {
  return {
    appendActivity: (line) => insertActivity(writer, nowText(clock), line),
    appendAudit: (entry) => insertAudit(writer, nowText(clock), entry),
    async listAudit({ actor, action, target, from, until, limit, before }) {
      let select = reader.selectFrom('audit').selectAll()
      if (actor !== null) select = select.where('actor', '=', actor)
      if (action !== null) select = select.where('action', '=', action)
      if (target !== null) select = select.where('target', '=', target)
      if (from !== null) select = select.where('at', '>=', from)
      if (until !== null) select = select.where('at', '<=', until)
      if (before !== null) select = select.where('audit_id', '<', before)
      return (await select.orderBy('audit_id', 'desc').limit(limit).execute()).map(toAuditEntry)
    },
    listActivity: (query) => listActivity(reader, holdsLower, query),
  }
}

function toAuditEntry({ audit_id, details, ...entry }: Selectable<Tables['audit']>): AuditEntry {
  return { id: audit_id, ...entry, details: JSON.parse(details) }
}
