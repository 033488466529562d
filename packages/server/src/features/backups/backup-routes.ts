import { createReadStream } from 'node:fs'
import { BackupRunResponse, BackupsResponse } from '@recordhub/protocol'
import { Type } from 'typebox'
import { cronPatternOf } from '../../config/feature-settings.ts'
import { route, special } from '../../http/route.ts'
import { nextCronTime } from '../../lib/time/cron.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { findBackup, listDrilledBackups } from './backup-folder.ts'
import type { BackupRunner, BackupSettings } from './run-backup.ts'

const File = { file: Type.String({ maxLength: 200 }) }

export function backupRoutes(
  deps: Pick<FeatureDeps, 'activity' | 'backups' | 'config' | 'clock'> &
    BackupSettings & { runner: BackupRunner },
) {
  const { activity, backups, runner, folder, passphrase, config, clock } = deps
  return [
    route('GET /api/v1/backups', {
      summary: 'List the backups with their last drills, and the current backup or drill',
      response: BackupsResponse.properties,
      async handle() {
        const { HUB_BACKUP_KEEP: keep, HUB_TIME_ZONE: timeZone } = config
        const schedule = cronPatternOf(config.HUB_BACKUP_SCHEDULE)
        const next = schedule === null ? null : nextCronTime(schedule, timeZone, clock.now())
        return {
          ...{ folder, keep, schedule },
          next_at: next?.toISOString() ?? null,
          encrypts: passphrase !== null,
          secret_fingerprint: deps.secretFingerprint,
          // Before the list, which then contains the backup of a run that has succeeded.
          run: runner.read(),
          backups: await listDrilledBackups(folder, backups),
        }
      },
    }),

    route('POST /api/v1/backups', {
      summary: 'Start a backup',
      status: 202,
      response: BackupRunResponse.properties,
      async handle({ requester }) {
        const run = runner.startBackup(requester.actor)
        await activity.appendAudit({ ...requester, action: 'backup.start', target: run.file })
        return { run }
      },
    }),

    special('GET /api/v1/backups/:file', {
      summary: 'Download a backup',
      params: File,
      response: { 200: { content: { 'application/octet-stream': { schema: Type.Any() } } } },
      // A HEAD request would open the file, and a backup is compressed already.
      ...{ exposeHeadRoute: false, compress: false },
      async handle({ params: { file }, requester }, reply) {
        const { path, bytes } = await findBackup(folder, file)
        await activity.appendAudit({ ...requester, action: 'backup.download', target: file })
        reply.header('Content-Disposition', `attachment; filename="${file}"`)
        reply.header('Cache-Control', 'no-store').header('Content-Length', bytes)
        const content = createReadStream(path, { end: bytes - 1 })
        return reply.type('application/octet-stream').send(content)
      },
    }),

    route('POST /api/v1/backups/:file/drill', {
      summary: 'Start a restore drill: restore a copy of the backup and compare it with the hub',
      params: File,
      status: 202,
      response: BackupRunResponse.properties,
      async handle({ params: { file }, requester }) {
        const run = await runner.startDrill(file, requester.actor)
        await activity.appendAudit({ ...requester, action: 'backup.drill', target: run.file })
        return { run }
      },
    }),
  ]
}
