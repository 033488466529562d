import { Stack, Text, Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { stateTime } from '../api/live.ts'
import {
  formatAge,
  formatClock,
  formatExact,
  formatRelative,
  formatSecond,
  formatTime,
} from '../lib/format.ts'

/**
 * A time in the viewer's time zone. The relative time, and the exact one with its zone, appear on hover. `seconds`: for
 * lists whose entries can fall within the same minute.
 */
export function Time({ at, seconds = false }: { at: string | null; seconds?: boolean }) {
  if (at === null) return '—'
  return (
    <Tooltip
      label={
        <Stack gap={0}>
          <Text size="xs">{formatRelative(at, Date.now())}</Text>
          <Text size="xs">{formatExact(at)}</Text>
        </Stack>
      }
    >
      <time dateTime={at}>{formatTime(at, { seconds })}</time>
    </Tooltip>
  )
}

/** The shown ages, which one timer updates. Only an age whose text has changed is rendered again. */
const ages = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function watchAge(update: () => void): () => void {
  ages.add(update)
  timer ??= setInterval(() => {
    for (const one of ages) one()
  }, 1000)
  return () => {
    ages.delete(update)
    if (ages.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** How long ago something was: `2 min ago`. The exact time with its zone appears on hover. */
export function Ago({ at }: { at: string | null }) {
  const text = useSyncExternalStore(watchAge, () =>
    at === null ? '—' : formatAge(at, stateTime(Date.now())),
  )
  return at === null ? text : <ExactTime at={at}>{text}</ExactTime>
}

/** When something began: `03:34 PM`, and its day if it is not today. The exact time with its zone appears on hover. */
export function Clock({ at, hasDay = true }: { at: string; hasDay?: boolean }) {
  return <ExactTime at={at}>{formatClock(at, hasDay ? Date.now() : Date.parse(at))}</ExactTime>
}

/** The time of a day, in a list with a heading for each day: `03:42:09 PM`. */
export function Second({ at, milliseconds = false }: { at: string; milliseconds?: boolean }) {
  return <ExactTime at={at}>{formatSecond(at, { milliseconds })}</ExactTime>
}

function ExactTime({ at, children }: { at: string; children: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {children}
    </time>
  )
}
