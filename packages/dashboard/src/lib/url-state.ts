/** The state of a page in its URL, so that a shared link shows the same view. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type UrlState = Readonly<Record<string, string>>
/** An absent value removes the parameter; so does an empty one, except for a filter, which compares with it. */
export type UrlChanges = Readonly<Record<string, string | null | undefined>>

const REPEATED = /^(filter\[.*\])#\d+$/s

/** The member of a state for a filter, which may be repeated: `filter[a]`, then `filter[a]#2`. */
export function nextFilterName(state: UrlChanges, name: string): string {
  for (let count = 1; ; count++) {
    const next = count === 1 ? name : `${name}#${count}`
    if (typeof state[next] !== 'string') return next
  }
}

/** The name of the parameter of a member of a state. */
export function parameterOf(name: string): string {
  return REPEATED.exec(name)?.[1] ?? name
}

/** Parses a query string. The first of several parameters with the same name is used, except for filters. */
export function parseUrlState(text: string): UrlState {
  const state: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    if (name.startsWith('filter[')) state[nextFilterName(state, name)] = value
    else state[name] ??= value
  }
  return state
}

export function toParameters(state: UrlChanges): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(state)) {
    if (value === null || value === undefined) continue
    if (value !== '' || name.startsWith('filter[')) parameters.append(parameterOf(name), value)
  }
  return parameters
}

export function writeUrlState(state: UrlChanges): string {
  const text = toParameters(state).toString()
  return text === '' ? '' : `?${text}`
}

/** The members of a state with these names, where they are set. */
export function pickState(state: UrlState, names: readonly string[]): UrlState {
  return Object.fromEntries(
    Object.entries(state).filter(([name, value]) => names.includes(name) && value !== ''),
  )
}

/** The id in a parameter; null for none, and for another text. */
export function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
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
