/** Runs one backup or restore drill at a time. */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { BackupRun, DrillReport } from '@recordhub/protocol'
import { diffAlerts, type FoundAlert, isEmpty } from '../../domain/alerts/alert.ts'
import { HubError, messageOf } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { BackupProgress, OnBackupProgress } from '../../storage/port/backup-store.ts'
import type { ChangeRow, ChangeStore, RecordRow } from '../../storage/port/record-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  backupName,
  deleteOldBackups,
  findBackup,
  saveDrill,
  type Uncounted,
} from './backup-folder.ts'

export type BackupSettings = {
  folder: string
  /** Null if backups are not encrypted. */
  passphrase: string | null
  secretFingerprint: string
}

export type BackupRunner = ReturnType<typeof createBackupRunner>

export function createBackupRunner(
  deps: Pick<FeatureDeps, 'backups' | 'changes' | 'records' | 'alerts' | 'version' | 'clock'> &
    BackupSettings & {
      config: Pick<FeatureDeps['config'], 'HUB_BACKUP_KEEP' | 'HUB_BACKUP_DRILL'>
      log: Pick<FeatureDeps['log'], 'error' | 'info'>
    },
) {
  const { backups, alerts, folder, passphrase, clock, log } = deps
  const stopping = new AbortController()
  let run: BackupRun | null = null
  let running: Promise<unknown> = Promise.resolve()

  function begin(operation: BackupRun['operation'], file: string, requested_by: string): BackupRun {
    if (run?.state === 'running') throw new HubError('backup_in_progress')
    stopping.signal.throwIfAborted()
    const started_at = clock.now().toISOString()
    const state = { state: 'running', phase: 'copy', percent: null } as const
    run = { operation, file, ...state, requested_by, started_at, finished_at: null, error: null }
    return run
  }

  /** Runs the work of a run in the background. @returns whether it succeeded. */
  async function perform(
    begun: BackupRun,
    work: (onProgress: OnBackupProgress) => Promise<void>,
  ): Promise<boolean> {
    const onProgress = ({ phase, done, total }: BackupProgress) => {
      begun.phase = phase
      begun.percent = total ? Math.min(100, Math.floor((done / total) * 100)) : null
    }
    const working = work(onProgress).then(
      () => {
        begun.state = 'succeeded'
      },
      (error: unknown) => {
        begun.state = 'failed'
        begun.error = messageOf(error)
        log.error({ err: error }, `a ${begun.operation} failed`)
      },
    )
    running = working
    await working
    begun.finished_at = clock.now().toISOString()
    return begun.state === 'succeeded'
  }

  async function write(begun: BackupRun): Promise<boolean> {
    return perform(begun, async (onProgress) => {
      await backups.writeBackup({
        path: join(folder, begun.file),
        passphrase,
        secretFingerprint: deps.secretFingerprint,
        hubVersion: deps.version,
        onProgress,
        signal: stopping.signal,
      })
    })
  }

  /** Restores a copy of a backup, compares it with the hub, and saves the result. @returns why the drill failed, or null. */
  async function compare(begun: BackupRun): Promise<string | null> {
    const path = join(folder, begun.file)
    let passed = false
    const succeeded = await perform(begun, async (onProgress) => {
      // A drill that fails must not leave the success of an earlier one.
      await saveDrill(path, null)
      const copy = await backups.openCopy({ path, folder, passphrase, onProgress })
      try {
        const { created_at, position, tables } = copy.info
        const total = tables['records'] ?? null
        const { changes, records } = deps
        const onRecord = (done: number) => onProgress({ phase: 'compare', done, total })
        const hub = { changes, ...records }
        const compared = await compareCopy(copy.changes, hub, position, onRecord)
        const { different, absent } = compared
        passed = different === 0 && absent === 0 && compared.records === total
        const finished_at = clock.now().toISOString()
        await saveDrill(path, { created_at, finished_at, passed, position, tables, ...compared })
      } finally {
        await copy.close()
      }
    })
    if (!succeeded) return begun.error
    return passed ? null : 'the restored copy differs from the hub'
  }

  return {
    /** As it is now: it does not change while a caller waits for something else. */
    read: () => run && { ...run },

    /** Starts a backup in the background. @throws HubError `backup_in_progress`. */
    startBackup(requestedBy: string): BackupRun {
      const begun = begin('backup', backupName(clock.now(), false), requestedBy)
      void write(begun)
      return begun
    },

    /**
     * Makes a scheduled backup, tests its restore if that is set, then deletes the oldest ones. A failure raises an alert,
     * which a success resolves, and deletes nothing.
     */
    async makeScheduledBackup(): Promise<void> {
      const begun = begin('backup', backupName(clock.now(), true), 'schedule')
      const succeeded = await write(begun)
      if (stopping.signal.aborted) return
      let failure = succeeded ? null : `The scheduled backup failed: ${begun.error ?? 'unknown'}`
      if (succeeded && deps.config.HUB_BACKUP_DRILL) {
        const why = await compare(begin('drill', begun.file, 'schedule'))
        if (why !== null) failure = `The restore test of ${begun.file} failed: ${why}`
      }
      await updateAlert(alerts, 'backup_failed', failure)
      if (failure !== null) return
      const options = { newest: begun.file, keep: deps.config.HUB_BACKUP_KEEP, now: clock.now() }
      const { deleted, uncounted } = await deleteOldBackups(folder, options, backups)
      await updateAlert(alerts, 'backups_uncounted', describeUncounted(uncounted))
      if (deleted.length > 0) log.info({ deleted }, 'old backups were deleted')
    },

    /** Starts a restore drill in the background. @throws HubError `not_found`, `backup_in_progress`. */
    async startDrill(file: string, requestedBy: string): Promise<BackupRun> {
      await findBackup(folder, file)
      const begun = begin('drill', file, requestedBy)
      void compare(begun)
      return begun
    },

    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}

const MAX_NAMED = 3

function describeUncounted(uncounted: Uncounted[]): string | null {
  if (uncounted.length === 0) return null
  const named = uncounted.slice(0, MAX_NAMED).map(({ file, reason }) => `${file}: ${reason}`)
  const more = uncounted.length > MAX_NAMED ? ` And ${uncounted.length - MAX_NAMED} more.` : ''
  return `The folder has scheduled backups that do not count, and that the hub does not delete. ${named.join(' ')}${more}`
}

/** @param message null if the condition is not true. */
async function updateAlert(
  alerts: FeatureDeps['alerts'],
  kind: 'backup_failed' | 'backups_uncounted',
  message: string | null,
): Promise<void> {
  const open = (await alerts.listOpenAlerts()).filter((alert) => alert.kind === kind)
  const found: FoundAlert[] =
    message === null ? [] : [{ kind, subject: 'backup', platform: null, message }]
  const changes = diffAlerts(open, found)
  if (!isEmpty(changes)) await alerts.applyAlertChanges(changes)
}

const PAGE = 200
const PAGE_BYTES = 4 * 1024 * 1024

type Comparison = Pick<
  DrillReport,
  'records' | 'equal' | 'changed_since' | 'deleted_since' | 'different' | 'absent'
>

type RecordChange = Extract<ChangeRow, { record: RecordRow }>

/**
 * Compares the records of a restored copy with those of the hub, while the hub changes. Follows both feeds of changes,
 * in which a record appears once, with its latest change. A change that is in both must have the same content. A record
 * that is only in the copy was changed or deleted since.
 * @param position the copy contains every change up to it.
 */
async function compareCopy(
  copy: Pick<ChangeStore, 'listChanges'>,
  live: {
    changes: Pick<ChangeStore, 'listChanges'>
    readRecord: (recordId: number) => Promise<RecordRow | null>
  },
  position: number,
  onRecord: (compared: number) => void,
): Promise<Comparison> {
  const result = {
    records: 0,
    equal: 0,
    changed_since: 0,
    deleted_since: 0,
    different: 0,
    absent: 0,
  }
  const current = readChanges(live.changes)
  let next = await current.next()
  for await (const change of readChanges(copy)) {
    result.records += 1
    onRecord(result.records)
    while (!next.done && next.value.change_seq < change.change_seq) {
      if (next.value.change_seq <= position) result.absent += 1
      next = await current.next()
    }
    if (!next.done && next.value.change_seq === change.change_seq) {
      const isEqual = isDeepStrictEqual(contentOf(next.value.record), contentOf(change.record))
      if (isEqual) result.equal += 1
      else result.different += 1
      next = await current.next()
    } else if (await live.readRecord(change.record.record_id)) result.changed_since += 1
    else result.deleted_since += 1
  }
  while (!next.done && next.value.change_seq <= position) {
    result.absent += 1
    next = await current.next()
  }
  await current.return(undefined)
  return result
}

/**
 * What a change of its own changes. The times of pulls and pushes without a change, and the names of the platform and the
 * module, which can be changed, are left out.
 */
function contentOf({ record_id, record_type, ...record }: RecordRow): unknown {
  const { reference_number, full_name, data, created_at, updated_at } = record
  return {
    record_id,
    record_type,
    reference_number,
    full_name,
    data,
    created_at,
    updated_at,
  }
}

async function* readChanges({
  listChanges,
}: Pick<ChangeStore, 'listChanges'>): AsyncGenerator<RecordChange, void> {
  for (let after = 0; ; ) {
    const query = { platform: null, record_type: null, after, limit: PAGE, maxBytes: PAGE_BYTES }
    const page = await listChanges(query)
    if (page.outcome === 'beyond') return
    for (const change of page.changes) if ('record' in change) yield change
    if (!page.has_more) return
    after = page.through
    await yieldToEventLoop()
  }
}
