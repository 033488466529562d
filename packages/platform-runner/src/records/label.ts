const ACRONYMS = new Set(['id', 'url', 'vat', 'iban', 'uuid', 'ip'])

/** Turns the name of a column or table into a label: `birth_date`, `birthDate` → "Birth date". */
export function toLabel(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  const text = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(' ')
  return text === '' ? name : text.charAt(0).toUpperCase() + text.slice(1)
}

const MAX_LABEL_LENGTH = 80

/** The first line of a comment; null if it is empty, or too long for a heading. */
export function labelFromComment(comment: string | null): string | null {
  const line = (comment ?? '').split('\n')[0]?.trim() ?? ''
  return line === '' || line.length > MAX_LABEL_LENGTH ? null : line
}

/** Formats a count with its noun: `1 record`, `2 records`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
