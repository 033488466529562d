import type { ConnectionCheck } from '@recordhub/protocol'
import { useEffect, useRef, useState } from 'react'
import { callHubLines } from '../../api/ndjson.ts'

type Run<State> = { state: State; isRunning: boolean; error: unknown }

/**
 * Sends a request and applies each line of the streamed response to a state.
 * @param apply must not change between renders.
 */
export function useHubLines<State, Line>(
  initial: State,
  apply: (state: State, line: Line) => State,
) {
  const [current, setCurrent] = useState<Run<State>>(idle(initial))
  const controllerRef = useRef<AbortController>(null)
  useEffect(() => () => controllerRef.current?.abort(), [])

  function clear(): void {
    controllerRef.current?.abort()
    setCurrent(idle(initial))
  }

  async function run(path: string, body: unknown): Promise<void> {
    clear()
    const started = new AbortController()
    controllerRef.current = started
    const { signal } = started
    const change = (over: (before: Run<State>) => Partial<Run<State>>) => {
      if (!signal.aborted) setCurrent((before) => ({ ...before, ...over(before) }))
    }
    change(() => ({ isRunning: true }))
    try {
      for await (const line of callHubLines<Line>(path, { method: 'POST', body, signal })) {
        change(({ state }) => ({ state: apply(state, line) }))
      }
      change(() => ({ isRunning: false }))
    } catch (error) {
      change(() => ({ isRunning: false, error }))
    }
  }

  return { ...current, run, clear }
}

function idle<State>(state: State): Run<State> {
  return { state, isRunning: false, error: null }
}

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

export function isCheck(value: unknown): value is ConnectionCheck {
  return typeof value === 'object' && value !== null && 'check' in value
}
