import { Text } from '@mantine/core'
import type { ActivityLevel } from '@recordhub/protocol'
import { StatusBadge } from '../../../components/status-badge.tsx'

/** The level of a line; the usual one is quiet, so that the others are seen. */
export function LevelMark({ level }: { level: ActivityLevel }) {
  if (level !== 'info') return <StatusBadge status={level} />
  return (
    <Text span size="sm" c="dimmed">
      Info
    </Text>
  )
}
