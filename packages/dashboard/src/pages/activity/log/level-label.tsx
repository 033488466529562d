import { Text } from '@mantine/core'
import type { ActivityLevel } from '@recordhub/protocol'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TEXTS } from '../texts.tsx'

/** The level of a log entry. Info is plain text, so that warnings and errors stand out. */
export function LevelLabel({ level }: { level: ActivityLevel }) {
  if (level !== 'info') return <StatusBadge status={level} />
  return (
    <Text span size="sm" c="dimmed">
      {TEXTS.info}
    </Text>
  )
}
