import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorInPlaceOfData } from '../api/retries.ts'
import { ErrorNotice } from './error-notice.tsx'
import { Pager } from './pager.tsx'

type Result<Data> = Pick<UseQueryResult<Data>, 'data' | 'error'> & { refetch: () => unknown }

/**
 * The content of a query: its skeleton while it loads, the error with *Try again* if it failed, `empty` if there is nothing
 * to show, otherwise the data. Older data stays visible while the hub is unavailable.
 */
export function Loaded<Data>(props: {
  query: Result<Data>
  /** In the final height, so that nothing moves. */
  skeleton?: ReactNode
  errorTitle?: string
  /** No error replaces data, since an operator may be editing it. */
  keepsData?: boolean
  /** What is shown instead of the data; null or false if the data is not empty. */
  empty?: (data: Data) => ReactNode
  children: (data: Data) => ReactNode
}) {
  const {
    query,
    skeleton = <Skeleton height={200} />,
    errorTitle,
    keepsData,
    empty,
    children,
  } = props
  const error = keepsData && query.data !== undefined ? null : errorInPlaceOfData(query)
  if (error) {
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void query.refetch()}
        {...(errorTitle === undefined ? {} : { title: errorTitle })}
      />
    )
  }
  if (query.data === undefined) return <div aria-busy="true">{skeleton}</div>
  return empty?.(query.data) || children(query.data)
}

/** A page of a list in the same states, with the links to the other pages. */
export function LoadedPage<Data extends { next_cursor: string | null }>(props: {
  query: UseQueryResult<Data>
  skeleton: ReactNode
  empty: (data: Data) => ReactNode
  gap?: 'xs' | 'md'
  children: (data: Data) => ReactNode
}) {
  const { query, skeleton, empty, gap = 'xs', children } = props
  return (
    <Loaded query={query} skeleton={skeleton}>
      {(data) => (
        <Stack gap={gap} opacity={query.isPlaceholderData ? 0.6 : 1}>
          {empty(data) || children(data)}
          <Pager next={data.next_cursor} isStale={query.isPlaceholderData} />
        </Stack>
      )}
    </Loaded>
  )
}
