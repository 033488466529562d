import { useEffect, useRef, useState } from 'react'
import { callHubLines } from '../../api/call-hub-lines.ts'

type Reading<State> = { state: State; isRunning: boolean; error: unknown }

/**
 * Has something tested that the hub tells of line by line.
 * @param nothing what is known before the first line.
 * @param take what is known after a line; must not change between renders.
 */
export function useHubLines<State, Line>(
  nothing: State,
  take: (state: State, line: Line) => State,
) {
  const [reading, setReading] = useState<Reading<State>>(blank(nothing))
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  function clear(): void {
    running.current?.abort()
    setReading(blank(nothing))
  }

  async function run(path: string, body: unknown): Promise<void> {
    clear()
    const begun = new AbortController()
    running.current = begun
    const { signal } = begun
    const change = (over: (before: Reading<State>) => Partial<Reading<State>>) => {
      if (!signal.aborted) setReading((before) => ({ ...before, ...over(before) }))
    }
    change(() => ({ isRunning: true }))
    try {
      for await (const line of callHubLines<Line>(path, { method: 'POST', body, signal })) {
        change(({ state }) => ({ state: take(state, line) }))
      }
      change(() => ({ isRunning: false }))
    } catch (error) {
      change(() => ({ isRunning: false, error }))
    }
  }

  return { ...reading, run, clear }
}

function blank<State>(state: State): Reading<State> {
  return { state, isRunning: false, error: null }
}
