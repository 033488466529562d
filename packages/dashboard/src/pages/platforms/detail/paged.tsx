import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CursorPagesQuery } from '../../../api/queries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'

/** A list that is loaded page by page, with its loading, error and empty states. */
export function Paged<Row>(props: {
  query: CursorPagesQuery<Row>
  /** All rows by default. */
  isShown?: (row: Row) => boolean
  empty: ReactNode
  /** Renders all rows so far. */
  children: (rows: Row[]) => ReactNode
}) {
  const { query: options, isShown = () => true, empty, children } = props
  const query = useInfiniteQuery(options)
  const rows = query.data?.pages.flatMap((page) => page.rows).filter(isShown) ?? []
  if (query.isPending) {
    return (
      <Stack gap="xs" aria-busy="true">
        <Skeleton height={44} />
        <Skeleton height={44} />
        <Skeleton height={44} />
      </Stack>
    )
  }
  if (rows.length === 0) {
    return query.isError ? (
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      empty
    )
  }
  return (
    <>
      {children(rows)}
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
