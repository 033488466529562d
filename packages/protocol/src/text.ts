/**
 * Removes a character from the end of a text, as often as it occurs there. A regular expression such as `/x+$/` would
 * begin again at each character of a run that is not at the end, so its time would grow with the square of the run.
 */
export function trimTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end--
  return text.slice(0, end)
}
