import type { Inbox, InboxItem } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { getQuery, queriesOf } from '../../api/get-query.ts'
import { putAside } from '../../api/inbox.ts'
import { attempt } from '../../components/confirm.tsx'

export const inboxQuery = getQuery<Inbox>('GET /api/v1/inbox', { live: true })

/** Puts an item aside until its fault changes, or until a time. */
export function usePutAside() {
  const client = useQueryClient()
  return (item: InboxItem, until: Date | null) =>
    attempt(async () => {
      await putAside(item, until)
      await client.invalidateQueries(queriesOf('GET /api/v1/inbox'))
    })
}

/** Takes back that an item was put aside. */
export function useReopen() {
  const client = useQueryClient()
  return ({ key }: InboxItem) =>
    attempt(async () => {
      await callHub('/api/v1/inbox/reopen', { method: 'POST', body: { key } })
      await client.invalidateQueries(queriesOf('GET /api/v1/inbox'))
    })
}
