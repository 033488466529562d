import { Skeleton, Stack } from '@mantine/core'
import { TEXTS } from '../../texts.ts'

/** Shown while a list loads. */
export function ListSkeleton({ height = 38, rows = 10 }: { height?: number; rows?: number }) {
  return (
    <Stack gap={6} aria-busy="true" aria-label={TEXTS.loading} role="status">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  )
}
