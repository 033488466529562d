import { useInterval } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** The current time, updated every second while it is needed. */
export function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now())
  const { start, stop } = useInterval(() => setNow(Date.now()), 1000)
  useEffect(() => {
    if (!isNeeded) return
    setNow(Date.now())
    start()
    return stop
  }, [isNeeded, start, stop])
  return now
}
