/**
 * Removes a character from the end of a text, as often as it occurs there. A regular expression such as `/x+$/` would
 * begin again at each character of a run that is not at the end, so its time would grow with the square of the run.
 */
export function trimTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end--
  return text.slice(0, end)
}

/**
 * The text of a file that an editor may have written: UTF-8, or UTF-16 with its byte order mark. The text has no mark at the
 * start of any line, where joined files have theirs.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes).replace(/^\uFEFF+/gm, '')
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
