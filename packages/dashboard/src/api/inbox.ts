/** What waits for an operator: the items of the snapshot that the page polls anyway, and their one count. */
import type { InboxItem, Snapshot } from '@recordhub/protocol'
import { useStore } from '../lib/store.ts'
import { callHub } from './call-hub.ts'
import { hideInboxItem, snapshot } from './live.ts'

/** The first items, the most urgent first, and the number of all; null before the first snapshot. */
export function useInbox(): Snapshot['inbox'] | null {
  return useStore(snapshot)?.inbox ?? null
}

/** The number of open items, for the navigation and the titles of the tabs. */
export function useInboxCount(): number {
  return useInbox()?.open ?? 0
}

/** Acknowledges an item until its fault changes. @throws HubCallError */
export async function acknowledge({ key }: InboxItem): Promise<void> {
  await callHub('/api/v1/inbox/put-aside', { method: 'POST', body: { key } })
  hideInboxItem(key)
}
