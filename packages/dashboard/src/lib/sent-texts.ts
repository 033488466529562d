/**
 * Texts that were sent to the URL and do not stand in it yet. It follows later than somebody types, and may pass
 * over some: what it then says must not take the place of what was typed since.
 */
export type SentTexts = {
  /** Notes what is sent while `inUrl` stands in the URL. */
  note: (text: string, inUrl: string) => void
  /** Whether the URL has changed to what was sent; else something else has changed it. */
  isSent: (inUrl: string) => boolean
}

export function createSentTexts(): SentTexts {
  let waiting: string[] = []
  return {
    note(text, inUrl) {
      if (text !== (waiting.at(-1) ?? inUrl)) waiting.push(text)
    },
    isSent(inUrl) {
      const place = waiting.indexOf(inUrl)
      waiting = place === -1 ? [] : waiting.slice(place + 1)
      return place !== -1
    },
  }
}
