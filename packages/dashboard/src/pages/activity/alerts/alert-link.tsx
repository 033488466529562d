import type { Alert } from '@recordhub/protocol'
import { PageLink } from '../../../components/page-link.tsx'
import { TEXTS } from '../../../texts.ts'

/** A link to the records or push errors of an alert, if a page lists them. */
export function AlertLink({ alert }: { alert: Alert }) {
  const { kind, missing_review_id, platform_name } = alert
  if (missing_review_id !== null) {
    const search = { tab: 'missing', review: String(missing_review_id) }
    return (
      <PageLink size="sm" c="inherit" underline="always" to="/dashboard/activity" search={search}>
        {TEXTS.reviewRecords}
      </PageLink>
    )
  }
  if (kind !== 'push_errors_rising') return null
  const search = { tab: 'push-errors', ...(platform_name ? { platform: platform_name } : {}) }
  return (
    <PageLink size="sm" c="inherit" underline="always" to="/dashboard/activity" search={search}>
      {TEXTS.viewPushErrors}
    </PageLink>
  )
}
