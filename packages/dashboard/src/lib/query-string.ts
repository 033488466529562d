import type { UrlState } from './url-state.ts'

/** The query string of a request: the named parameters of the page's URL, and the added ones. */
export function toQueryString(
  state: UrlState,
  names: readonly string[],
  added: Readonly<Record<string, string | number>> = {},
): string {
  const parameters = new URLSearchParams()
  for (const name of names) {
    const value = state[name]
    if (value) parameters.set(name, value)
  }
  for (const [name, value] of Object.entries(added)) parameters.set(name, String(value))
  return parameters.toString()
}
