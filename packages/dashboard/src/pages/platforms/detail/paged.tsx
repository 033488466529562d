import { Button, Group, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'

const PLACEHOLDERS = ['first', 'second', 'third']

/** What stands around a list that is asked for page by page. */
export function Paged({
  query,
  empty,
  children,
}: {
  query: {
    isPending: boolean
    isError: boolean
    error: unknown
    rows: readonly unknown[]
    hasNextPage: boolean
    isFetchingNextPage: boolean
    refetch: () => Promise<unknown>
    fetchNextPage: () => Promise<unknown>
  }
  empty: ReactNode
  children: ReactNode
}) {
  if (query.isPending) {
    return (
      <Stack gap="xs" aria-busy="true">
        {PLACEHOLDERS.map((one) => (
          <Skeleton key={one} height={44} />
        ))}
      </Stack>
    )
  }
  if (query.isError && query.rows.length === 0) {
    return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  }
  if (query.rows.length === 0) return empty
  return (
    <>
      {children}
      {query.hasNextPage && (
        <Group justify="center" mt="sm">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show older ones
          </Button>
        </Group>
      )}
    </>
  )
}
