import type { UrlState } from './url-state.ts'

/** The query of a call: of the page's state what the hub knows by the same names, then what is added. */
export function queryText(
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
