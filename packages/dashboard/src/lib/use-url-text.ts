import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { createSentTexts } from './sent-texts.ts'

const PAUSE_MS = 300

/**
 * A text that somebody types and that stands in the URL a moment later. `send` is called when they pause;
 * what changes the URL otherwise (Back, a link) changes the text.
 */
export function useUrlText(
  inUrl: string,
  send: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(inUrl)
  const [sent] = useState(createSentTexts)
  const seen = useRef(inUrl)
  const sendLater = useDebouncedCallback((typed: string) => {
    sent.note(typed, seen.current)
    send(typed)
  }, PAUSE_MS)
  useEffect(() => {
    if (inUrl === seen.current) return
    seen.current = inUrl
    if (sent.isSent(inUrl)) return
    setText(inUrl)
    sendLater.cancel()
  }, [inUrl, sent, sendLater.cancel])
  const type = (typed: string) => {
    setText(typed)
    sendLater(typed)
  }
  return [text, type]
}
