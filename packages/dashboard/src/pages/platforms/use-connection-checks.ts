import type { ConnectionCheck } from '@recordhub/protocol'
import { useHubLines } from './use-hub-lines.ts'

type Checking<Result> = {
  checks: ConnectionCheck[]
  /** The last line of the response, after all checks. */
  result: Result | null
}

/** Tests a connection. The checks arrive one by one. */
export function useConnectionChecks<Result>() {
  const initial: Checking<Result> = { checks: [], result: null }
  const { state, ...rest } = useHubLines(initial, applyLine<Result>)
  return { ...state, ...rest }
}

function applyLine<Result>(
  state: Checking<Result>,
  line: ConnectionCheck | Result,
): Checking<Result> {
  if (isCheck(line)) return { ...state, checks: [...state.checks, line] }
  return { ...state, result: line }
}

function isCheck(line: unknown): line is ConnectionCheck {
  return typeof line === 'object' && line !== null && 'check' in line
}
