/** The state of a page that stands in its URL, so that a link shows the same to somebody else. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type UrlState = Readonly<Record<string, string>>
/** An empty or absent value takes the parameter away. */
export type UrlChanges = Readonly<Record<string, string | null | undefined>>

/** The text of a query, as `URLSearchParams` reads it; the first of two alike counts. */
export function parseUrlState(text: string): UrlState {
  const state: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) state[name] ??= value
  return state
}

export function writeUrlState(state: UrlChanges): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(state)) {
    if (value !== null && value !== undefined && value !== '') parameters.append(name, value)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** What remains of a state after changes. */
export function changeUrlState(state: UrlChanges, changes: UrlChanges): UrlState {
  return parseUrlState(writeUrlState({ ...state, ...changes }))
}

/**
 * The parameters of the page's URL, and a way to change some. A change is a step that Back undoes, unless it
 * replaces (while somebody types).
 */
export function useUrlState(): [
  UrlState,
  (changes: UrlChanges, options?: { replace?: boolean }) => void,
] {
  const state: UrlState = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (changes: UrlChanges, options?: { replace?: boolean }) => {
      void navigate({
        to: '.',
        search: (before: UrlChanges) => changeUrlState(before, changes),
        replace: options?.replace ?? false,
        // The way back through the pages of a list.
        state: true,
        // It is the same page still: who has scrolled stays there.
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [state, change]
}
