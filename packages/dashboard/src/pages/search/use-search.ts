import type { SearchLine } from '@recordhub/protocol'
import { useEffect, useRef, useState } from 'react'
import { openHub } from '../../api/call-hub.ts'
import { onResponse } from '../../api/live.ts'
import { readLines } from '../../api/read-lines.ts'
import { isUnavailable } from '../../api/retries.ts'
import { isPlainObject, parseExact } from '../../lib/exact-json.ts'
import { addLine, BEGUN, endAnswer, type SearchState } from './search-lanes.ts'

/**
 * A search as far as it is; repeated with another `attempt`, and by itself once the hub is available again. An
 * empty query requests nothing.
 */
export function useSearch(query: string, attempt: number): { state: SearchState; error: unknown } {
  const [state, setState] = useState(BEGUN)
  const [error, setError] = useState<unknown>(null)
  const [repetition, setRepetition] = useState(0)
  const repeatedCut = useRef('')
  const isFailed = isUnavailable(error)
  const isCut = state.progress === 'broken'
  useEffect(() => {
    const search = `${attempt} ${query}`
    // What cuts a response off twice may cut off each of them, and every search costs the platforms.
    if (!isFailed && (!isCut || repeatedCut.current === search)) return
    return onResponse(() => {
      if (isCut) repeatedCut.current = search
      setRepetition((before) => before + 1)
    })
  }, [isFailed, isCut, query, attempt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt or repetition searches again.
  useEffect(() => {
    setState(BEGUN)
    setError(null)
    if (query === '') return
    const leaving = new AbortController()
    const { signal } = leaving
    void follow(query, signal, (line) => setState((before) => addLine(before, line)))
      .then(() => !signal.aborted && setState(endAnswer))
      .catch((trouble: unknown) => {
        if (!signal.aborted) setError(trouble)
      })
    return () => leaving.abort()
  }, [query, attempt, repetition])
  return { state, error }
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
      const line = parseExact(text)
      if (signal.aborted) return
      if (isLine(line)) onLine(line)
    }
  } catch {
    // Cut off: what came stays, and that its end is missing tells the rest.
  }
}

function isLine(value: unknown): value is SearchLine {
  return isPlainObject(value) && typeof value['kind'] === 'string'
}
