/**
 * Removes a character from the end of a text, as often as it occurs there. A regular expression such as `/x+$/` would
 * begin again at each character of a run that is not at the end, so its time would grow with the square of the run.
 */
export function trimTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end--
  return text.slice(0, end)
}

/** The text of a file that an editor may have written: UTF-8, or UTF-16 with its byte order mark. The text has no mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
