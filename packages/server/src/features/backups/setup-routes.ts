/** "I have a backup" on the setup page: the upload of a backup to a hub without operators. */
import { createWriteStream } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type BackupInfo, DoneResponse, ErrorResponse } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError, invalidMember } from '../../errors.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'
import type { Storage } from '../../storage/port/storage.ts'

/** A backup to restore when the hub has stopped. */
export type UploadedBackup = { path: string; passphrase: string | null }

/** Stops the hub, restores the backup, deletes the upload, and starts the hub again. */
export type RestoreUpload = (backup: UploadedBackup) => void

const UPLOAD = '.uploaded.recordhub-backup.partial'
/** The restore needs the space of the unpacked data, too, which is usually some times as large. */
const MIN_FREE_FACTOR = 2

export function setupRoutes(deps: {
  storage: Pick<Storage, 'operators' | 'backups' | 'activity'>
  folder: string
  secretFingerprint: string
  isSetupToken: (token: string) => boolean
  /** Null if this process cannot restart the hub. */
  restoreUpload: RestoreUpload | null
}): FastifyPluginAsyncTypebox {
  const { storage, folder, secretFingerprint, isSetupToken, restoreUpload } = deps
  const path = join(folder, UPLOAD)
  let isUploading = false

  /** Called before the body is read. */
  async function authorizeUpload({ headers }: FastifyRequest): Promise<void> {
    if (!isSetupToken(String(headers['x-setup-token'] ?? ''))) {
      throw new HubError('setup_link_invalid')
    }
    if (await storage.operators.hasOperators()) throw new HubError('operator_exists')
    if (!restoreUpload) throw new HubError('not_found', { what: 'page or endpoint' })
    const bytes = Number(headers['content-length'])
    if (!Number.isInteger(bytes)) throw invalidMember('Content-Length', 'is required')
    makeFolder(folder)
    const { bavail, bsize } = await statfs(dirname(path))
    if (bytes * MIN_FREE_FACTOR > bavail * bsize) {
      throw new HubError('backup_invalid', {
        reason: 'there is not enough disk space to restore it',
      })
    }
  }

  async function checkUpload(passphrase: string | null): Promise<BackupInfo> {
    const { backups } = storage
    const info = await backups.readBackupInfo(path)
    const needed = info.secret_fingerprint
    if (needed !== null && needed !== secretFingerprint) {
      throw new HubError('backup_secret_wrong', {
        needed,
        given: `the hub has ${secretFingerprint}`,
      })
    }
    await backups.checkBackup({ path, passphrase })
    return info
  }

  return async (app) => {
    app.removeAllContentTypeParsers()
    // The body is not read before the route writes it to the disk.
    app.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body))

    app.post<{ Body: IncomingMessage }>(
      '/setup/backup',
      {
        onRequest: authorizeUpload,
        schema: {
          summary: 'Upload a backup with the setup link; the hub restores it and restarts',
          headers: Type.Object({
            'x-setup-token': Type.String(),
            'x-backup-passphrase': Type.Optional(
              Type.String({ description: 'Percent-encoded; only for an encrypted backup' }),
            ),
          }),
          response: { 202: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        if (isUploading) throw new HubError('backup_in_progress')
        isUploading = true
        try {
          const encoded = String(request.headers['x-backup-passphrase'] ?? '')
          const passphrase = decodePassphrase(encoded)
          await pipeline(request.body, createWriteStream(path, { mode: 0o600 }))
          const { created_at } = await checkUpload(passphrase)
          // Another request may have created the first operator during the upload.
          if (await storage.operators.hasOperators()) throw new HubError('operator_exists')
          request.log.warn(
            { created_at },
            'a backup was uploaded; the hub restores it and restarts',
          )
          reply.raw.once('close', () => restoreUpload?.({ path, passphrase }))
          const message = 'The hub restores the backup and restarts.'
          return await reply.code(202).send({ success: true as const, message })
        } catch (error) {
          isUploading = false
          await rm(path, { force: true })
          throw error
        }
      },
    )
  }
}

function decodePassphrase(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded) || null
  } catch {
    throw invalidMember('X-Backup-Passphrase', 'must be percent-encoded')
  }
}
