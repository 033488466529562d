/** Settings of the hub in words. */

/** A cron pattern in words where it is a plain one; '' else, since the pattern stands beside it. */
export function describePattern(pattern: string): string {
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

/** How long something is kept: `90 days`, `2 years`, `For ever`. */
export function describeDays(days: number): string {
  if (days === 0) return 'For ever'
  if (days % 365 === 0) return days === 365 ? 'A year' : `${days / 365} years`
  return days === 1 ? 'A day' : `${days} days`
}

/** What is kept for a while, by the name that the hub gives it. */
export const RETAINED: Readonly<Record<string, string>> = {
  activity: 'Activity',
  alerts: 'Alerts that are over',
  manifest_changes: 'Changes of manifests',
  history: 'Changes of records',
  pulls: 'Pulls',
  rejected_pushes: 'Rejected pushes',
  missing_reviews: 'Questions about missing records',
  counters: 'Counts by the hour',
  audit: 'Audit',
}
