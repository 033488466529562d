/** Labels of the settings of the hub. */
export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** Describes common cron patterns; an empty string for others. */
export function scheduleLabel(pattern: string): string {
  const text = pattern.trim()
  if (text === '* * * * *') return 'Every minute'
  const minutes = /^\*\/(\d+) \* \* \* \*$/.exec(text)?.[1]
  if (minutes) return `Every ${minutes} minutes`
  const minute = /^(\d+) \* \* \* \*$/.exec(text)?.[1]
  if (minute) return `Every hour, ${minute} minutes past`
  const [, atMinute = '', atHour = '', day] = /^(\d+) (\d+) \* \* ([0-6*])$/.exec(text) ?? []
  if (day !== undefined) {
    const at = `at ${atHour.padStart(2, '0')}:${atMinute.padStart(2, '0')}`
    return `Every ${day === '*' ? 'day' : WEEKDAYS[Number(day)]} ${at}`
  }
  return ''
}
