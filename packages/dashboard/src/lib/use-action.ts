import { useState } from 'react'

const IDLE = { isBusy: false, error: null }

/**
 * An action of a form: whether it runs, and the error of the last attempt; null for none. `leaves`: a success leads to
 * another page, until which the action stays busy.
 */
export function useAction({ leaves = false } = {}) {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>(IDLE)
  async function run(action: () => Promise<void>): Promise<void> {
    setState({ isBusy: true, error: null })
    try {
      await action()
      if (!leaves) setState(IDLE)
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  return { ...state, run }
}
