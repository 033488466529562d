import { Badge, Tooltip } from '@mantine/core'
import type { PlatformSummary } from '@recordhub/protocol'
import { explainHealth, HEALTH_WORDS, type Health, healthOf } from './platform-list.ts'

const COLORS: Readonly<Record<Health, string>> = {
  well: 'green',
  trouble: 'red',
  question: 'yellow',
  waiting: 'blue',
  off: 'gray',
}

/** How well a platform is; why, on hover and focus. */
export function HealthBadge({ platform }: { platform: PlatformSummary }) {
  const health = healthOf(platform)
  const reason = explainHealth(platform)
  const badge = (
    <Badge variant="dot" color={COLORS[health]} tt="none" tabIndex={reason ? 0 : undefined}>
      {HEALTH_WORDS[health]}
    </Badge>
  )
  return reason ? (
    <Tooltip label={reason} multiline maw={360}>
      {badge}
    </Tooltip>
  ) : (
    badge
  )
}
