import type { Alert } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import { ADVICE, type OpenAlert } from '../../../domain/alerts/alert.ts'
import type { Tables } from '../schema/tables.ts'

export function toAlert(row: Selectable<Tables['alerts']>): Alert {
  return {
    id: row.alert_id,
    kind: row.kind,
    platform_name: row.platform_name,
    missing_review_id: row.kind === 'missing_review' ? Number(row.subject) : null,
    message: row.message,
    advice: ADVICE[row.kind],
    raised_at: row.raised_at,
    resolved_at: row.resolved_at,
    acknowledged_at: row.acknowledged_at,
    acknowledged_by: row.acknowledged_by,
    mailed_at: row.raise_mailed_at,
  }
}

export function toOpenAlert(row: Selectable<Tables['alerts']>): OpenAlert {
  const { alert_id, kind, subject, platform_id, platform_name, message, raised_at } = row
  const platform =
    platform_id === null || platform_name === null ? null : { platform_id, platform_name }
  return { alert_id, kind, subject, platform, message, raised_at }
}
