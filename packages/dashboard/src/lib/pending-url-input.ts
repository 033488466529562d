/**
 * Typed texts that have been written to the URL but are not in it yet. The URL changes later than the user types, and may
 * skip some texts: its value must not replace what was typed since.
 */
type PendingUrlInput = {
  /** Records a text that is written while the URL contains `inUrl`. */
  add: (text: string, inUrl: string) => void
  /** Whether the new value of the URL was typed. Otherwise a link or the browser has changed it. */
  isPending: (inUrl: string) => boolean
}

export function createPendingUrlInput(): PendingUrlInput {
  let waiting: string[] = []
  return {
    add(text, inUrl) {
      if (text !== (waiting.at(-1) ?? inUrl)) waiting.push(text)
    },
    isPending(inUrl) {
      const index = waiting.indexOf(inUrl)
      waiting = index === -1 ? [] : waiting.slice(index + 1)
      return index !== -1
    },
  }
}
