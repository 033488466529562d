import type { BackupRun, BackupsResponse } from '@recordhub/protocol'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'

const PATH = '/api/v1/backups'
const PROGRESS_MS = 2000

/** The backups, and the progress of a running one. */
export function backupsQuery() {
  return queryOptions({
    ...getQuery<BackupsResponse>(`GET ${PATH}`),
    refetchInterval: ({ state }) => (state.data?.run?.state === 'running' ? PROGRESS_MS : false),
  })
}

/** @throws HubCallError */
export async function startBackup(client: QueryClient): Promise<void> {
  await callHub<{ run: BackupRun }>(PATH, { method: 'POST' })
  await client.invalidateQueries(backupsQuery())
}

/** @throws HubCallError */
export async function startDrill(client: QueryClient, file: string): Promise<void> {
  await callHub<{ run: BackupRun }>(`${backupUrl(file)}/drill`, { method: 'POST' })
  await client.invalidateQueries(backupsQuery())
}

/** The URL of the download of a backup. */
export function backupUrl(file: string): string {
  return `${PATH}/${encodeURIComponent(file)}`
}
