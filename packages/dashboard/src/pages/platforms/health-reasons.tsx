import { List } from '@mantine/core'
import type { HealthReason, PlatformSummary } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { MessageText } from '../../components/message-text.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { TEXTS } from './texts.tsx'

/** The reasons for the health of a platform, each with a link to the page on which it is dealt with. */
export function HealthReasons({ platform }: { platform: PlatformSummary }) {
  return (
    <List spacing={4} size="sm">
      {platform.health.reasons.map(({ code, message }) => (
        <List.Item key={code}>
          <MessageText message={message} /> {linkOf(code, platform.platform_name)}
        </List.Item>
      ))}
    </List>
  )
}

/** Null if it is dealt with on the page of the platform. */
function linkOf(code: HealthReason['code'], platform: string): ReactNode {
  switch (code) {
    case 'pushes_rejected':
    case 'rejections_open':
      return <ActivityLink tab="rejected" platform={platform} label={TEXTS.showRejected} />
    case 'modules_incomplete':
      return <ActivityLink tab="completeness" platform={platform} label={TEXTS.showCompleteness} />
    case 'review_pending':
      return <ActivityLink tab="missing" platform={platform} label={TEXTS.reviewRecords} />
    case 'silent':
      return <ActivityLink tab="alerts" label={TEXTS.showAlerts} />
    case 'pulls_failing':
    case 'key_expiring':
    case 'certificate_expiring':
    case 'new':
    case 'inactive':
      return null
  }
}

function ActivityLink({ label, ...search }: { tab: string; platform?: string; label: string }) {
  return (
    <PageLink size="sm" c="inherit" underline="always" to="/dashboard/inbox" search={search}>
      {label}
    </PageLink>
  )
}
