/** What names may hold, wherever they go: the hub refuses others. */

/** Why a text cannot name anything, as the end of a sentence; null where it can. */
export function findTextFault(text: string): string | null {
  return text.includes('\u0000') || !text.isWellFormed()
    ? 'holds a null character or half of a surrogate pair'
    : null
}

/** Whether a text can be sent in a header as it is. */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
}
