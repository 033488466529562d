import { Skeleton, Stack } from '@mantine/core'
import { TEXTS } from '../texts.ts'

/** Shown while a page loads. */
export function PageSkeleton() {
  return (
    <Stack gap="md" p="md" aria-busy="true" aria-label={TEXTS.loading} role="status">
      <Skeleton height={32} width={220} />
      <Skeleton height={120} />
      <Skeleton height={320} />
    </Stack>
  )
}
