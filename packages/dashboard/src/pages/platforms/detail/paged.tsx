import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CursorPagesQuery } from '../../../api/queries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'

const PLACEHOLDERS = ['first', 'second', 'third']

/** A list that is loaded page by page, with its loading, error and empty states. */
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
            Show older
          </Button>
        </Group>
      )}
    </>
  )
}

/** A list that is loaded page by page: all rows so far, and a function that loads the next page. */
export function usePages<Row>(options: CursorPagesQuery<Row>) {
  const query = useInfiniteQuery(options)
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] }
}
