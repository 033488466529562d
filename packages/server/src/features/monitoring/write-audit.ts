import type { AuditEntry } from '@recordhub/protocol'
import { csvLine, withoutFormula } from '../../lib/files/csv.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'

export const AUDIT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const

const PAGE = 500
const COLUMNS = ['id', 'at', 'actor', 'action', 'target', 'address', 'details'] as const
type Filters = Omit<Parameters<ActivityStore['listAudit']>[0], 'limit' | 'before'>

/** The audit as the text of a file, a page at a time, however long it is. */
export async function* writeAudit(
  activity: Pick<ActivityStore, 'listAudit'>,
  filters: Filters,
  format: keyof typeof AUDIT_TYPES,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS)
  const write = format === 'csv' ? toCsv : (entry: AuditEntry) => `${JSON.stringify(entry)}\n`
  let before: number | null = null
  do {
    const page: AuditEntry[] = await activity.listAudit({ ...filters, limit: PAGE, before })
    if (page.length > 0) yield page.map(write).join('')
    before = page.length === PAGE ? (page.at(-1)?.id ?? null) : null
  } while (before !== null)
}

function toCsv(entry: AuditEntry): string {
  const cells = COLUMNS.map((column) => {
    const value = entry[column]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  })
  return csvLine(cells.map(withoutFormula))
}
