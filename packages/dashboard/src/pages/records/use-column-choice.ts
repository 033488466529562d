import { useCallback, useState } from 'react'
import type { UrlState } from '../../lib/url-state.ts'
import { type ColumnChoice, keyOfChoice, NO_CHOICE, parseChoice } from './column-choice.ts'

/**
 * The columns that somebody chose for this platform and module, remembered in this browser. `resets` counts how
 * often they were reset, with the widths, which are remembered by keys that begin with the key of the choice.
 */
export function useColumnChoice(state: UrlState): {
  choice: ColumnChoice
  choose: (choice: ColumnChoice) => void
  resets: number
} {
  const key = keyOfChoice(state)
  const [held, setHeld] = useState({ key, choice: parseChoice(localStorage.getItem(key)) })
  const [resets, setResets] = useState(0)
  const current = held.key === key ? held : { key, choice: parseChoice(localStorage.getItem(key)) }
  if (current !== held) setHeld(current)
  const choose = useCallback(
    (choice: ColumnChoice) => {
      setHeld({ key, choice })
      if (choice === NO_CHOICE) {
        for (const name of Object.keys(localStorage)) {
          if (name.startsWith(key)) localStorage.removeItem(name)
        }
        setResets((count) => count + 1)
      } else localStorage.setItem(key, JSON.stringify(choice))
    },
    [key],
  )
  return { choice: current.choice, choose, resets }
}
