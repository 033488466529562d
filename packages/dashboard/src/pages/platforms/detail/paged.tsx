import { Button, Group, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CursorPagesQuery } from '../../../api/queries.ts'
import { Loaded } from '../../../components/loaded.tsx'

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
  return (
    <Loaded query={query} keepsData skeleton={<Skeleton height={144} />}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.rows).filter(isShown)
        return (
          <>
            {rows.length === 0 && !query.hasNextPage ? empty : children(rows)}
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
      }}
    </Loaded>
  )
}
