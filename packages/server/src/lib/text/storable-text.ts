/** Whether all databases store a text unchanged: they reject U+0000, and UTF-8 cannot encode a lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
