/** What `jsonb` refuses: U+0000, halves of surrogate pairs, numbers beyond its range. May find too much. */
const MAYBE_REFUSED = /\\u(?:0000|[dD][89a-fA-F])|[eE][+-]?\d{3}|\d{309}/
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/gs
const HUGE = /[eE][+-]?0*[1-9]\d{2}|\d{309}/

/**
 * The JSON text of a record's copy for search and filter, where `jsonb` would not take the text as it
 * is: refused characters become U+FFFD, refused numbers strings (design, section 5).
 * @param data as `stringifyExact` writes it.
 * @returns null where the text itself will do.
 */
export function jsonCopy(data: string): string | null {
  if (!MAYBE_REFUSED.test(data)) return null
  const copy = data.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token.replace(ESCAPE, replaceRefused)
    return HUGE.test(token) ? `"${token}"` : token
  })
  return copy === data ? null : copy
}

/** `stringifyExact` escapes a surrogate only where it has no other half. */
function replaceRefused(escaped: string, code: string | undefined): string {
  return code !== undefined && /^(0000|[dD][89a-fA-F])/.test(code) ? '\ufffd' : escaped
}
