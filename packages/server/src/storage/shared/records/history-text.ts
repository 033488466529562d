import type { RecordChange } from '../../../domain/record/record.ts'

/** The changes of a history entry as JSON text; before and after are exact JSON texts already. */
export function historyText(changes: RecordChange[]): string {
  const entries = changes.map((change) => {
    const before = change.before === undefined ? '' : `,"before":${change.before}`
    const after = change.after === undefined ? '' : `,"after":${change.after}`
    return `{"path":${JSON.stringify(change.path)}${before}${after}}`
  })
  return `[${entries.join(',')}]`
}
