import type { QueryClient } from '@tanstack/react-query'
import type { UrlChanges } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { getQuery, queriesOf } from './get-query.ts'

export type RevertScope =
  | { pull_id: number; record_type?: string }
  | { platform: string; from: string; to: string }
  | { record_id: number; version: number }
  | { revert_id: number }

export type RevertState =
  | 'planned'
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'interrupted'

export type RevertOutcome = 'reverted' | 'kept' | 'impossible'

export type Revert = {
  id: number
  state: RevertState
  scope: RevertScope
  reason: string
  operator: string
  counts: Record<RevertOutcome, number> & { held_now: number; lifted: number }
  created_at: string
  started_at: string | null
  finished_at: string | null
  error: string | null
}

export type RevertRecord = {
  record_id: number
  platform_name: string
  record_type: string
  reference_number: string
  full_name: string
  outcome: RevertOutcome
  reason: string | null
  path: string | null
  writer: string | null
}

export type Hold = {
  record_id: number
  platform_name: string
  record_type: string
  reference_number: string
  full_name: string
  revert_id: number
  path: string
  held_at: string
}

type RevertPage = { reverts: Revert[]; next_cursor: string | null }
type RevertRecordPage = { records: RevertRecord[]; next_cursor: string | null }
type HoldPage = {
  holds: Hold[]
  next_cursor: string | null
  total: number
  oldest_at: string | null
}

const REVERTS = 'GET /api/v1/reverts'
const HOLDS = 'GET /api/v1/holds'

/** A page of all reverts, newest first. */
export function revertPageQuery(cursor: string) {
  return getQuery<RevertPage>(REVERTS, { query: { cursor }, live: true, keepsPrevious: true })
}

export function revertQuery(id: string) {
  return getQuery<{ revert: Revert }>('GET /api/v1/reverts/:id', {
    params: { id },
    live: 'followed',
  })
}

/** The records of a revert with one outcome. */
export function revertRecordsQuery(id: number, query: UrlChanges) {
  return getQuery<RevertRecordPage>('GET /api/v1/reverts/:id/records', {
    params: { id },
    query,
    live: 'followed',
    keepsPrevious: true,
  })
}

/** Holds, with their number and the oldest of all that the filters match. */
export function holdsQuery(query: UrlChanges) {
  return getQuery<HoldPage>(HOLDS, { query, live: true, keepsPrevious: true })
}

/** Plans a revert, which changes no record. @throws HubCallError */
export async function planRevert(scope: RevertScope, reason: string): Promise<Revert> {
  const body = { scope, reason }
  return (await callHub<{ revert: Revert }>('/api/v1/reverts', { method: 'POST', body })).revert
}

/** Starts, cancels or lifts, and then reads everything again that it may have changed. */
export async function changeReverts(
  client: QueryClient,
  path: string,
  call: { method: 'POST' | 'DELETE'; body?: object },
): Promise<void> {
  try {
    await callHub(path, call)
  } finally {
    await client.invalidateQueries(queriesOf(REVERTS, HOLDS))
  }
}
