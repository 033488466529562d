const COLORS: Readonly<Record<string, string>> = {
  active: 'green',
  inactive: 'gray',
  succeeded: 'green',
  attention: 'orange',
  partial: 'yellow',
  failed: 'red',
  running: 'harbour',
  queued: 'blue',
  cancelled: 'gray',
  timed_out: 'red',
  interrupted: 'grape',
  not_reached: 'grape',
  skipped: 'gray',
  info: 'blue',
  warning: 'yellow',
  error: 'red',
  open: 'orange',
  resolved: 'green',
  accepted: 'green',
}

/** The color of the status of a platform, pull, task or log entry. `attention`: a success that needs attention. */
export function statusColor(status: string): string {
  return COLORS[status] ?? 'gray'
}
