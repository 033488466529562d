import { Stack, Text, Tooltip } from '@mantine/core'
import { formatRelative, formatTime } from '../lib/format.ts'

/** A time in the viewer's zone; how long ago it was and the exact instant show on hover. */
export function Time({ at, relative = false }: { at: string | null; relative?: boolean }) {
  if (at === null) return '–'
  const ago = formatRelative(at, Date.now())
  return (
    <Tooltip
      label={
        <Stack gap={0}>
          <Text size="xs">{relative ? formatTime(at) : ago}</Text>
          <Text size="xs">{at}</Text>
        </Stack>
      }
    >
      <time dateTime={at}>{relative ? ago : formatTime(at)}</time>
    </Tooltip>
  )
}
