import type { SearchLine } from '@recordhub/protocol'
import { useEffect, useRef, useState } from 'react'
import { openHub } from '../../api/call-hub.ts'
import { onResponse } from '../../api/live.ts'
import { readLines } from '../../api/ndjson.ts'
import { isUnavailable } from '../../api/retries.ts'
import { isPlainObject, parseLossless } from '../../lib/lossless-json.ts'
import { addLine, endResponse, INITIAL, type SearchState } from './search-lanes.ts'

/**
 * The state of a search, and a function that stops it: the hub then ends its requests to the platforms. Repeated with another `attempt`, and automatically when the hub is available again. An empty query
 * sends no request.
 */
export function useSearch(
  query: string,
  attempt: number,
): { state: SearchState; error: unknown; stop: () => void } {
  const running = useRef<AbortController>(null)
  const [state, setState] = useState(INITIAL)
  const [error, setError] = useState<unknown>(null)
  const [repetition, setRepetition] = useState(0)
  const repeatedSearch = useRef('')
  const isFailed = isUnavailable(error)
  const isInterrupted = state.progress === 'interrupted'
  useEffect(() => {
    const search = `${attempt} ${query}`
    // Repeats an interrupted search only once, because every search puts load on the platforms.
    if (!isFailed && (!isInterrupted || repeatedSearch.current === search)) return
    return onResponse(() => {
      if (isInterrupted) repeatedSearch.current = search
      setRepetition((before) => before + 1)
    })
  }, [isFailed, isInterrupted, query, attempt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt or repetition searches again.
  useEffect(() => {
    setState(INITIAL)
    setError(null)
    if (query === '') return
    const controller = new AbortController()
    const { signal } = controller
    running.current = controller
    void follow(query, signal, (line) => setState((before) => addLine(before, line)))
      .then(() => !signal.aborted && setState(endResponse))
      .catch((failure: unknown) => {
        if (!signal.aborted) setError(failure)
      })
    return () => controller.abort()
  }, [query, attempt, repetition])
  function stop() {
    running.current?.abort()
    setState((before) => ({ ...before, progress: 'stopped' }))
  }
  return { state, error, stop }
}

async function follow(
  query: string,
  signal: AbortSignal,
  onLine: (line: SearchLine) => void,
): Promise<void> {
  const response = await openHub(`/api/v1/search?${new URLSearchParams({ query })}`, { signal })
  if (!response.body) return
  try {
    for await (const text of readLines(response.body)) {
      const line = parseLossless(text)
      if (signal.aborted) return
      if (isLine(line)) onLine(line)
    }
  } catch {
    // Interrupted: the results so far stay visible. The missing end line indicates the interruption.
  }
}

function isLine(value: unknown): value is SearchLine {
  return isPlainObject(value) && typeof value['kind'] === 'string'
}
