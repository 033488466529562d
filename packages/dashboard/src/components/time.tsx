import { Stack, Text, Tooltip } from '@mantine/core'
import { formatRelative, formatTime } from '../lib/format.ts'

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
