const COLORS: Readonly<Record<string, string>> = {
  active: 'green',
  inactive: 'gray',
  succeeded: 'green',
  attention: 'orange',
  partial: 'orange',
  failed: 'red',
  running: 'harbour',
  queued: 'gray',
  cancelled: 'gray',
  timed_out: 'red',
  interrupted: 'gray',
  not_reached: 'gray',
  skipped: 'gray',
  info: 'gray',
  warning: 'orange',
  error: 'red',
  open: 'orange',
  resolved: 'green',
  accepted: 'green',
}

/** The color of the status of a platform, pull, task or log entry. `attention`: a success that needs attention. */
export function statusColor(status: string): string {
  return COLORS[status] ?? 'gray'
}
