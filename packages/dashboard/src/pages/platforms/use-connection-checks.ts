import type { ConnectionCheck } from '@recordhub/protocol'
import { useEffect, useRef, useState } from 'react'
import { callHubLines } from '../../api/call-hub-lines.ts'

type Checking<Answer> = {
  checks: ConnectionCheck[]
  /** The last line, once all checks are made. */
  answer: Answer | null
  isRunning: boolean
  error: unknown
}
const NOTHING = { checks: [], answer: null, isRunning: false, error: null }

/** Has a connection tested; the checks come one by one. */
export function useConnectionChecks<Answer>() {
  const [state, setState] = useState<Checking<Answer>>(NOTHING)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  function clear(): void {
    running.current?.abort()
    setState(NOTHING)
  }

  async function run(path: string, body: unknown): Promise<void> {
    clear()
    const begun = new AbortController()
    running.current = begun
    const { signal } = begun
    const change = (over: (before: Checking<Answer>) => Partial<Checking<Answer>>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...over(before) }))
    }
    change(() => ({ isRunning: true }))
    try {
      const lines = callHubLines<ConnectionCheck | Answer>(path, { method: 'POST', body, signal })
      for await (const line of lines) {
        if (isCheck(line)) change(({ checks }) => ({ checks: [...checks, line] }))
        else change(() => ({ answer: line }))
      }
      change(() => ({ isRunning: false }))
    } catch (error) {
      change(() => ({ isRunning: false, error }))
    }
  }

  return { ...state, run, clear }
}

function isCheck(line: unknown): line is ConnectionCheck {
  return typeof line === 'object' && line !== null && 'check' in line
}
