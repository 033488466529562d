import { useCallback, useState } from 'react'
import type { UrlState } from '../../lib/url-state.ts'
import { type ColumnChoice, keyOfChoice, NO_CHOICE, parseChoice } from './column-choice.ts'

/** The columns that somebody chose for this platform and module, remembered in this browser. */
export function useColumnChoice(state: UrlState): [ColumnChoice, (choice: ColumnChoice) => void] {
  const key = keyOfChoice(state)
  const [held, setHeld] = useState({ key, choice: parseChoice(localStorage.getItem(key)) })
  const current = held.key === key ? held : { key, choice: parseChoice(localStorage.getItem(key)) }
  if (current !== held) setHeld(current)
  const choose = useCallback(
    (choice: ColumnChoice) => {
      setHeld({ key, choice })
      if (choice === NO_CHOICE) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(choice))
    },
    [key],
  )
  return [current.choice, choose]
}
