import { Stack, Text, Tooltip } from '@mantine/core'
import { stateTime } from '../api/live.ts'
import { formatAge, formatClock, formatExact, formatRelative, formatTime } from '../lib/format.ts'
import { useNow } from '../lib/use-now.ts'

/**
 * A time in the viewer's time zone. The relative time and the exact timestamp appear on hover. `seconds`: for lists whose
 * entries can fall within the same minute.
 */
export function Time({ at, seconds = false }: { at: string | null; seconds?: boolean }) {
  if (at === null) return '—'
  return (
    <Tooltip
      label={
        <Stack gap={0}>
          <Text size="xs">{formatRelative(at, Date.now())}</Text>
          <Text size="xs">{at}</Text>
        </Stack>
      }
    >
      <time dateTime={at}>{formatTime(at, { seconds })}</time>
    </Tooltip>
  )
}

const AGE_INTERVAL_MS = 5000

/** How long ago something was: `2 min ago`. The exact time with its zone appears on hover. */
export function Ago({ at }: { at: string | null }) {
  const now = stateTime(useNow(at !== null, AGE_INTERVAL_MS))
  if (at === null) return '—'
  return <ExactTime at={at}>{formatAge(at, now)}</ExactTime>
}

/** When something began: `03:34 PM`. The exact time with its zone appears on hover. */
export function Clock({ at }: { at: string }) {
  return <ExactTime at={at}>{formatClock(at, Date.now())}</ExactTime>
}

function ExactTime({ at, children }: { at: string; children: string }) {
  return (
    <Tooltip label={formatExact(at)}>
      <time dateTime={at}>{children}</time>
    </Tooltip>
  )
}
