import { Badge } from '@mantine/core'
import { formatCode } from '../lib/format.ts'
import { statusColor } from './status-color.ts'

/** The status of a platform, pull, task or log entry, with its color. */
export function StatusBadge({ status, label }: { status: string; label?: string }) {
  return (
    <Badge color={statusColor(status)} variant="light" tt="none">
      {label ?? formatCode(status)}
    </Badge>
  )
}
