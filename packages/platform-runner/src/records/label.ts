const SHORT_WORDS = new Set(['id', 'url', 'vat', 'iban', 'uuid', 'ip'])

/** Words for people of a column's or a table's name: `birth_date`, `birthDate` → "Birth date". */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  const text = words.map((word) => (SHORT_WORDS.has(word) ? word.toUpperCase() : word)).join(' ')
  return text === '' ? name : text.charAt(0).toUpperCase() + text.slice(1)
}

const LONGEST_LABEL = 80

/** The first line of a comment on a column; null where it says nothing, or too much for a heading. */
export function labelFromComment(comment: string | null): string | null {
  const line = (comment ?? '').split('\n')[0]?.trim() ?? ''
  return line === '' || line.length > LONGEST_LABEL ? null : line
}
