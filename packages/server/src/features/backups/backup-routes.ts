import { createReadStream } from 'node:fs'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { BackupRunResponse, BackupsResponse, ErrorResponse } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { nextCronTime } from '../../lib/time/cron.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { findBackup, listBackups } from './backup-folder.ts'
import type { BackupRunner } from './run-backup.ts'

const File = Type.Object({ file: Type.String({ maxLength: 200 }) })

export function backupRoutes(deps: {
  storage: Pick<Storage, 'activity' | 'backups'>
  runner: BackupRunner
  folder: string
  keep: number
  passphrase: string | null
  schedulePattern: string | null
  timeZone: string
  secretFingerprint: string
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { storage, runner, folder, keep, passphrase, timeZone, clock, requesterOf } = deps
  const { activity, backups } = storage

  function audit(request: FastifyRequest, action: string, target: string): Promise<void> {
    return activity.appendAudit({ ...requesterOf(request), action, target })
  }

  return async (app) => {
    app.get(
      '/api/v1/backups',
      {
        schema: {
          summary: 'List the backups, the current backup or drill, and the last drill',
          response: { 200: BackupsResponse, '4xx': ErrorResponse },
        },
      },
      async () => {
        const schedule = deps.schedulePattern
        const next = schedule === null ? null : nextCronTime(schedule, timeZone, clock.now())
        return {
          success: true as const,
          ...{ folder, keep, schedule },
          next_at: next?.toISOString() ?? null,
          encrypts: passphrase !== null,
          secret_fingerprint: deps.secretFingerprint,
          // Before the list, which then contains the backup of a run that has succeeded.
          ...runner.read(),
          backups: await listBackups(folder, backups),
        }
      },
    )

    app.post(
      '/api/v1/backups',
      {
        schema: {
          summary: 'Start a backup',
          response: { 202: BackupRunResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const run = runner.startBackup(requesterOf(request).actor)
        await audit(request, 'backup.start', run.file)
        return reply.code(202).send({ success: true, run })
      },
    )

    app.get(
      '/api/v1/backups/:file',
      {
        // A HEAD request would open the file.
        exposeHeadRoute: false,
        // A backup is compressed already.
        compress: false,
        schema: {
          summary: 'Download a backup',
          params: File,
          response: {
            200: { content: { 'application/octet-stream': { schema: Type.Any() } } },
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const { file } = request.params
        const { path, bytes } = await findBackup(folder, file)
        await audit(request, 'backup.download', file)
        reply.header('Content-Disposition', `attachment; filename="${file}"`)
        reply.header('Cache-Control', 'no-store').header('Content-Length', bytes)
        return reply
          .type('application/octet-stream')
          .send(createReadStream(path, { end: bytes - 1 }))
      },
    )

    app.post(
      '/api/v1/backups/:file/drill',
      {
        schema: {
          summary:
            'Start a restore drill: restore a copy of the backup and compare it with the hub',
          params: File,
          response: { 202: BackupRunResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const run = await runner.startDrill(request.params.file, requesterOf(request).actor)
        await audit(request, 'backup.drill', run.file)
        return reply.code(202).send({ success: true, run })
      },
    )
  }
}
