import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 300

/**
 * A text input that is written to the URL. `send` is called after a pause in typing. If the URL changes in another way
 * (Back, a link), the text follows it.
 */
export function useUrlText(
  inUrl: string,
  send: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(inUrl)
  const [pending] = useState(createPendingUrlInput)
  const seen = useRef(inUrl)
  const sendLater = useDebouncedCallback((typed: string) => {
    pending.add(typed, seen.current)
    send(typed)
  }, PAUSE_MS)
  useEffect(() => {
    if (inUrl === seen.current) return
    seen.current = inUrl
    if (pending.isPending(inUrl)) return
    setText(inUrl)
    sendLater.cancel()
  }, [inUrl, pending, sendLater.cancel])
  const type = (typed: string) => {
    setText(typed)
    sendLater(typed)
  }
  return [text, type]
}

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
