import type { ConnectionCheck } from '@recordhub/protocol'
import { useHubLines } from './use-hub-lines.ts'

type Checking<Answer> = {
  checks: ConnectionCheck[]
  /** The last line, once all checks are made. */
  answer: Answer | null
}

/** Has a connection tested; the checks come one by one. */
export function useConnectionChecks<Answer>() {
  const nothing: Checking<Answer> = { checks: [], answer: null }
  const { state, ...rest } = useHubLines(nothing, takeLine<Answer>)
  return { ...state, ...rest }
}

function takeLine<Answer>(
  state: Checking<Answer>,
  line: ConnectionCheck | Answer,
): Checking<Answer> {
  if (isCheck(line)) return { ...state, checks: [...state.checks, line] }
  return { ...state, answer: line }
}

function isCheck(line: unknown): line is ConnectionCheck {
  return typeof line === 'object' && line !== null && 'check' in line
}
