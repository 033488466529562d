import type { Inbox, InboxItem } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'
import { getQuery, queriesOf } from '../../api/get-query.ts'
import { putAside } from '../../api/inbox.ts'
import { attempt, notify } from '../../components/confirm.tsx'
import { formatClock } from '../../lib/format.ts'

export const inboxQuery = getQuery<Inbox>('GET /api/v1/inbox', { live: true })

/** Puts an item aside until its fault changes, or until a time; or takes that back. */
export function usePutAside() {
  const client = useQueryClient()
  const change = (action: () => Promise<unknown>) =>
    attempt(async () => {
      await action()
      await client.invalidateQueries(queriesOf('GET /api/v1/inbox'))
    })
  const reopen = ({ key }: InboxItem, show?: () => void) =>
    change(async () => {
      await callHub('/api/v1/inbox/reopen', { method: 'POST', body: { key } })
      show?.()
    })
  return {
    reopen,
    putAside: (item: InboxItem, until: Date | null) =>
      change(async () => {
        const show = await putAside(item, until)
        const onClick = () => reopen(item, show)
        const snoozed = until && `Snoozed until ${formatClock(until.toISOString(), Date.now())}`
        notify(snoozed ?? 'Acknowledged', { label: 'Undo', onClick })
      }),
  }
}
