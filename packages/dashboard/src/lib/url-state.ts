/** The state of a page in its URL, so that a shared link shows the same view. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type UrlState = Readonly<Record<string, string>>
/** An empty or absent value removes the parameter. */
export type UrlChanges = Readonly<Record<string, string | null | undefined>>

/** Parses a query string. The first of several parameters with the same name is used. */
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

/** Applies changes to a state. */
export function changeUrlState(state: UrlChanges, changes: UrlChanges): UrlState {
  return parseUrlState(writeUrlState({ ...state, ...changes }))
}

/**
 * The parameters of the page's URL, and a function that changes some of them. A change adds a history entry, unless
 * `replace` is set (while the user types).
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
        // Preserves the visited pages of a list (components/pager.tsx).
        state: true,
        // The page stays the same, and so does the scroll position.
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [state, change]
}
