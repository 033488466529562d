/** Characters that XML 1.0 does not allow, except lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const NOT_ALLOWED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** A text as the content of an XML element, or of an attribute in double quotes. Replaces what XML cannot contain by U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_ALLOWED, '\ufffd')
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '')
}
