import type { ReplayStepResponse } from '@recordhub/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { addStep, EMPTY_RUN, type ReplayRun } from './replay-run.ts'

export type RunState = {
  /** `tested` and `replayed`: finished; `stopped`: ended early by the operator or an error. */
  phase: 'testing' | 'tested' | 'replaying' | 'replayed' | 'stopped'
  run: ReplayRun
  error: unknown
}

/** Replays all rejected pushes that match a filter, step by step; `start(true)` starts a dry run. */
export function useReplayRun(filter: Readonly<Record<string, string>>, onReplayed: () => void) {
  const [state, setState] = useState<RunState>({ phase: 'testing', run: EMPTY_RUN, error: null })
  const running = useRef<AbortController | null>(null)
  const start = useCallback(
    async (isDryRun: boolean) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      let run = EMPTY_RUN
      const phase = isDryRun ? 'testing' : 'replaying'
      setState({ phase, run, error: null })
      try {
        let cursor: string | null = null
        do {
          const body = { ...filter, dry_run: isDryRun, ...(cursor === null ? {} : { cursor }) }
          // A step that has been sent is not aborted; only the next one is not sent.
          const step: ReplayStepResponse = await callHub('/api/v1/rejected-pushes/replay', {
            method: 'POST',
            body,
          })
          run = addStep(run, step)
          cursor = step.next_cursor
          if (signal.aborted) return
          setState({ phase, run, error: null })
        } while (cursor !== null)
        setState({ phase: isDryRun ? 'tested' : 'replayed', run, error: null })
      } catch (error) {
        if (!signal.aborted) setState({ phase: 'stopped', run, error })
      } finally {
        if (!isDryRun) onReplayed()
      }
    },
    [filter, onReplayed],
  )
  const stop = useCallback(() => {
    running.current?.abort()
    setState((before) => ({ ...before, phase: 'stopped' }))
  }, [])
  useEffect(() => () => running.current?.abort(), [])
  return { ...state, start, stop }
}
