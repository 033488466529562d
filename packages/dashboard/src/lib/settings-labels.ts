/** Labels of the settings of the hub. */
import { formatCount } from './format.ts'

/** Describes common cron patterns; an empty string for others. */
export function scheduleLabel(pattern: string): string {
  const text = pattern.trim()
  if (text === '* * * * *') return 'Every minute'
  const minutes = /^\*\/(\d+) \* \* \* \*$/.exec(text)?.[1]
  if (minutes) return `Every ${minutes} minutes`
  const minute = /^(\d+) \* \* \* \*$/.exec(text)?.[1]
  if (minute) return `Every hour, ${minute} minutes past`
  const daily = /^(\d+) (\d+) \* \* \*$/.exec(text)
  if (daily) return `Every day at ${daily[2]?.padStart(2, '0')}:${daily[1]?.padStart(2, '0')}`
  return ''
}

/** A retention period: `90 days`, `2 years`, `Forever`. */
export function daysLabel(days: number): string {
  if (days === 0) return 'Forever'
  if (days % 365 === 0) return formatCount(days / 365, 'year')
  return formatCount(days, 'day')
}

/** Labels of the kinds of data with a retention period. */
export const RETENTION_LABELS: Readonly<Record<string, string>> = {
  activity: 'Activity',
  alerts: 'Resolved alerts',
  manifest_changes: 'Manifest changes',
  history: 'Record history',
  pulls: 'Pulls',
  rejected_pushes: 'Rejected pushes',
  push_errors: 'Push errors',
  missing_reviews: 'Reviews of missing records',
  counters: 'Hourly statistics',
  audit: 'Audit log',
}
