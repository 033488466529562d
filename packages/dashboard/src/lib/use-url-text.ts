import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { createPendingUrlInput } from './pending-url-input.ts'

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
