import type { Pull } from '@recordhub/protocol'
import { useState } from 'react'
import { snapshot } from '../../api/live.ts'
import { useStore } from '../../lib/use-store.ts'
import { startedPull } from '../pulls/start-pull.ts'
import { usePull } from '../pulls/use-pull.ts'

const TASKS = 8

/** The pull that runs, or the latest one that this page knows of, with a page of its modules. */
export function useLatestPull() {
  const current = useStore(snapshot)
  const started = useStore(startedPull)
  const [page, setPage] = useState({ pull: 0, cursor: '' })
  const known = [current?.pull.pull?.id, current?.latest_sync?.pull_id, started?.id]
  const id = Math.max(0, ...known.map((one) => one ?? 0)) || null
  const cursor = page.pull === id ? page.cursor : ''
  const { data, error, refetch } = usePull(id, { cursor, limit: TASKS })
  const pull: Pull | null =
    data?.pull ?? [started, current?.pull.pull ?? null].find((one) => one?.id === id) ?? null
  return {
    isKnown: current !== null && (id === null || pull !== null),
    pull,
    tasks: data?.tasks ?? [],
    cursor,
    next: data?.next_cursor ?? null,
    setCursor: (next: string) => setPage({ pull: id ?? 0, cursor: next }),
    error,
    refetch,
  }
}
