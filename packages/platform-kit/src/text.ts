/** Returns why the hub rejects a text as a name, without the subject; null if it accepts it. */
export function findTextIssue(text: string): string | null {
  return text.includes('\u0000') || !text.isWellFormed()
    ? 'contains a null character or a lone surrogate'
    : null
}

/** Whether a text can be sent unchanged as the value of a header. */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
}
