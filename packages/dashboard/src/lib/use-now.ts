import { useInterval } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** The current time, updated every second, or at another interval, while it is needed. */
export function useNow(isNeeded: boolean, intervalMs = 1000): number {
  const [now, setNow] = useState(Date.now())
  const { start, stop } = useInterval(() => setNow(Date.now()), intervalMs)
  useEffect(() => {
    if (!isNeeded) return
    setNow(Date.now())
    start()
    return stop
  }, [isNeeded, start, stop])
  return now
}
