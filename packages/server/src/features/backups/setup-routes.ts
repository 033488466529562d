/** "Restore a backup" on the setup page: the upload of a backup to a hub without operators. */
import { appendFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupInfo, DoneResponse, RequestText } from '@recordhub/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { HubError, invalidMember } from '../../errors.ts'
import { scoped, special } from '../../http/route.ts'
import { makeFolder } from '../../lib/files/durable-files.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { BackupSettings } from './run-backup.ts'

/** A backup to restore when the hub has stopped. */
export type UploadedBackup = { path: string; passphrase: string | null }

/** Stops the hub, restores the backup, deletes the upload, and starts the hub again. */
export type RestoreUpload = (backup: UploadedBackup) => void

/** A part is sent within the time limit of a request, also over a slow connection. */
const MAX_PART = 8 * 1024 * 1024
const UPLOAD = '.uploaded.recordhub-backup.partial'
/** The restore needs the space of the unpacked data, too, which is usually some times as large. */
const MIN_FREE_FACTOR = 2

export function setupRoutes(
  deps: Pick<FeatureDeps, 'operators' | 'backups'> &
    Pick<BackupSettings, 'folder' | 'secretFingerprint'> & {
      isSetupToken: (token: string) => boolean
      /** Null if this process cannot restart the hub. */
      restoreUpload: RestoreUpload | null
    },
) {
  const { operators, backups, folder, secretFingerprint, isSetupToken, restoreUpload } = deps
  const path = join(folder, UPLOAD)
  let isComplete = false

  /** Called before the body is read. */
  async function authorizeUpload({ headers }: FastifyRequest): Promise<void> {
    if (!isSetupToken(String(headers['x-setup-token'] ?? ''))) {
      throw new HubError('setup_link_invalid')
    }
    if (await operators.hasOperators()) throw new HubError('operator_exists')
    if (!restoreUpload) throw new HubError('not_found', { what: 'page or endpoint' })
    if (isComplete) throw new HubError('backup_in_progress')
  }

  /** Writes a part of the upload. @returns whether it was the last one. */
  async function writePart(part: Buffer, { offset, size }: { offset: number; size: number }) {
    if (offset === 0) await begin(size)
    const found = await stat(path).catch(() => null)
    if (found?.size !== offset || offset + part.length > size) {
      throw invalidMember('X-Upload-Offset', 'does not continue the upload; start again')
    }
    await appendFile(path, part, { flush: true })
    return offset + part.length === size
  }

  async function begin(size: number): Promise<void> {
    makeFolder(folder)
    const { bavail, bsize } = await statfs(folder)
    if (size * MIN_FREE_FACTOR > bavail * bsize) {
      throw new HubError('backup_invalid', {
        reason: 'there is not enough disk space to restore it',
      })
    }
    await writeFile(path, '', { mode: 0o600 })
  }

  async function checkUpload(passphrase: string | null): Promise<BackupInfo> {
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

  const upload = special('POST /setup/backup', {
    summary:
      'Upload a part of a backup with the setup link; after the last part, the hub restores it and restarts',
    headers: Type.Object({
      'x-setup-token': RequestText(),
      'x-upload-offset': RequestText({ pattern: '^\\d{1,15}$' }),
      'x-upload-size': RequestText({ pattern: '^\\d{1,15}$' }),
      'x-backup-passphrase': Type.Optional(
        RequestText({ description: 'Percent-encoded; only for an encrypted backup' }),
      ),
    }),
    response: { 200: DoneResponse, 202: DoneResponse },
    ...{ onRequest: authorizeUpload, bodyLimit: MAX_PART },
    async handle({ headers, body, log }, reply) {
      const passphrase = decodePassphrase(String(headers['x-backup-passphrase'] ?? ''))
      const offset = Number(headers['x-upload-offset'])
      const size = Number(headers['x-upload-size'])
      const part = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      if (!(await writePart(part, { offset, size }))) {
        return { success: true, message: 'The part was stored.' }
      }
      isComplete = true
      try {
        const { created_at } = await checkUpload(passphrase)
        // Another request may have created the first operator during the upload.
        if (await operators.hasOperators()) throw new HubError('operator_exists')
        log.warn({ created_at }, 'a backup was uploaded; the hub restores it and restarts')
        const restore = () => restoreUpload?.({ path, passphrase })
        // The client may have disconnected after the last part.
        if (reply.raw.closed) restore()
        else reply.raw.once('close', restore)
        const message = 'The hub restores the backup and restarts.'
        return await reply.code(202).send({ success: true, message })
      } catch (error) {
        isComplete = false
        await rm(path, { force: true })
        throw error
      }
    },
  })
  return [scoped(acceptParts, upload)]
}

function acceptParts(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const parser = { parseAs: 'buffer', bodyLimit: MAX_PART } as const
  scope.addContentTypeParser('application/octet-stream', parser, (_request, body, done) =>
    done(null, body),
  )
}

function decodePassphrase(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded) || null
  } catch {
    throw invalidMember('X-Backup-Passphrase', 'must be percent-encoded')
  }
}
