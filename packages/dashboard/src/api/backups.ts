import type { BackupRun, BackupsResponse } from '@recordhub/protocol'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { pageHeaders } from './csrf-token.ts'
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

const PART_BYTES = 4 * 1024 * 1024

/**
 * Uploads a backup to a hub without operators, which then restores it and restarts.
 * @param onProgress receives the uploaded part, from 0 to 1.
 * @throws Error with a message.
 */
export async function uploadBackup(
  file: File,
  { token, passphrase }: { token: string; passphrase: string },
  onProgress: (uploaded: number) => void,
): Promise<void> {
  for (let offset = 0; offset < file.size; offset += PART_BYTES) {
    const response = await fetch('/setup/backup', {
      method: 'POST',
      headers: {
        ...pageHeaders('POST'),
        'Content-Type': 'application/octet-stream',
        'X-Setup-Token': token,
        'X-Upload-Offset': String(offset),
        'X-Upload-Size': String(file.size),
        'X-Backup-Passphrase': encodeURIComponent(passphrase),
      },
      body: file.slice(offset, offset + PART_BYTES),
    })
    onProgress(Math.min(1, (offset + PART_BYTES) / file.size))
    if (response.ok) continue
    const { message = '' } = Object(await response.json().catch(() => null))
    throw new Error(String(message) || `${response.status}`)
  }
}
