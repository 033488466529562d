import { Badge } from '@mantine/core'
import { formatCode } from '../lib/format.ts'

const COLORS: Readonly<Record<string, string>> = {
  active: 'green',
  inactive: 'gray',
  succeeded: 'green',
  partial: 'yellow',
  failed: 'red',
  running: 'blue',
  queued: 'blue',
  cancelled: 'gray',
  timed_out: 'red',
  interrupted: 'orange',
  not_reached: 'orange',
  skipped: 'gray',
  info: 'blue',
  warning: 'yellow',
  error: 'red',
  open: 'orange',
  resolved: 'green',
}

/** The status of a platform, pull, task or log entry, with its color. */
export function StatusBadge({ status, label }: { status: string; label?: string }) {
  return (
    <Badge color={COLORS[status] ?? 'gray'} variant="light" tt="none">
      {label ?? formatCode(status)}
    </Badge>
  )
}
