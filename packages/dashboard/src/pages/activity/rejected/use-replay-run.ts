import type { ReplayStepAnswer } from '@recordhub/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { addStep, NOTHING_YET, type ReplayRun } from './replay-run.ts'

export type RunState = {
  /** `tried` and `replayed`: it came to its end; `stopped`: somebody, or an error, ended it before. */
  phase: 'trying' | 'tried' | 'replaying' | 'replayed' | 'stopped'
  run: ReplayRun
  error: unknown
}

/** Replays all that a filter means, step by step: a dry run at once, then for good when told to. */
export function useReplayRun(meant: Readonly<Record<string, string>>, onReplayed: () => void) {
  const [state, setState] = useState<RunState>({ phase: 'trying', run: NOTHING_YET, error: null })
  const running = useRef<AbortController | null>(null)
  const begin = useCallback(
    async (isDryRun: boolean) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      let run = NOTHING_YET
      const phase = isDryRun ? 'trying' : 'replaying'
      setState({ phase, run, error: null })
      try {
        let cursor: string | null = null
        do {
          const body = { ...meant, dry_run: isDryRun, ...(cursor === null ? {} : { cursor }) }
          // A step under way is done or not; only the next one is not begun.
          const step: ReplayStepAnswer = await callHub('/api/v1/rejected-pushes/replay', {
            method: 'POST',
            body,
          })
          run = addStep(run, step)
          cursor = step.next_cursor
          if (signal.aborted) return
          setState({ phase, run, error: null })
        } while (cursor !== null)
        setState({ phase: isDryRun ? 'tried' : 'replayed', run, error: null })
      } catch (error) {
        if (!signal.aborted) setState({ phase: 'stopped', run, error })
      } finally {
        if (!isDryRun) onReplayed()
      }
    },
    [meant, onReplayed],
  )
  const stop = useCallback(() => {
    running.current?.abort()
    setState((before) => ({ ...before, phase: 'stopped' }))
  }, [])
  useEffect(() => () => running.current?.abort(), [])
  return { ...state, begin, stop }
}
