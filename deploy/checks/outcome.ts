/** The outcome of a check. Nothing is skipped silently: what cannot be checked says why. */
export type Outcome =
  /** Files were compared or validated. */
  | { state: 'checked'; detail: string }
  /** Something was built, started and used. */
  | { state: 'run'; detail: string }
  | { state: 'not available here'; why: string }
  | { state: 'failed'; why: string }

export const checked = (detail: string): Outcome => ({ state: 'checked', detail })
export const ran = (detail: string): Outcome => ({ state: 'run', detail })
export const unavailable = (why: string): Outcome => ({ state: 'not available here', why })

/** Failed if there are issues. */
export function checkedUnless(issues: readonly string[], detail: string): Outcome {
  return issues.length === 0 ? checked(detail) : { state: 'failed', why: issues.join('\n') }
}

export function formatOutcome(name: string, outcome: Outcome): string {
  const text = 'why' in outcome ? outcome.why : outcome.detail
  return `${outcome.state.padEnd(18)}  ${name}: ${text.trim().replaceAll('\n', `\n${' '.repeat(22)}`)}`
}
