/**
 * Whether every database keeps a text as it is: none keeps U+0000 as text, and half of a surrogate
 * pair cannot be written as UTF-8.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
