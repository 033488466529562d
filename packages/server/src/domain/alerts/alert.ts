/** Alerts: their kinds, their messages, and when they are raised and resolved. */
import type { Alert, AlertKind } from '@recordhub/protocol'
import type { NewActivity } from '../activity/activity.ts'

/** The advice for each kind of alert. */
export const ADVICE: Readonly<Record<AlertKind, string>> = {
  platform_failing:
    "Test the platform's connection in the hub. If it fails there too, its base URL, its source API key or the platform itself needs to be fixed. Otherwise, check the platform's logs. If pushes are rejected, open the rejected pushes, which show the reasons. Fix the platform, then replay them.",
  module_failing:
    "The platform's response for this module is not valid: its last pull shows the error. Fix it on the platform, or unregister the module if the platform no longer has it.",
  platform_silent:
    'Check that the platform is running, that its requests reach the hub, and that it uses the current hub API key. Ignore the alert if the platform has nothing to send, such as on a holiday.',
  rejected_rising:
    'Open the rejected pushes, which show the reasons. Often the platform was changed recently. Fix the platform, then replay the rejected pushes.',
  push_errors_rising:
    'Open the push errors in the inbox: they show the reason, the beginning of the key and the address of each sender. If a platform sent them, give its owner the current hub API key, or the error message of the response. If the sender is unknown, block its address in front of the hub.',
  missing_review:
    'Check whether the platform still has the records. Then approve or dismiss the review in the hub.',
  search_behind:
    "Check the hub's log for errors of the search index. During the first import of millions of records, the delay is normal.",
  holds_open:
    'The platform still sends what was taken back, or has sent nothing for these records since. Correct it on the platform, whose next other values end the hold, or lift the hold in the hub to accept its values.',
  disk_low:
    'Free disk space, or add more. A shorter retention (HUB_RETENTION_…) frees space within hours. The hub rejects every push while the disk is full.',
  standby_asynchronous:
    'Set synchronous_standby_names on the PostgreSQL server. With Patroni, set synchronous_mode: true. Acknowledge the alert if no standby is ever promoted, or if you accept the loss.',
  storage_not_synced:
    'Set fsync and full_page_writes of the PostgreSQL server to on: ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf().',
  mail_failing:
    'Send a test mail from the hub, which shows the error message of the mail server. Then check HUB_SMTP_URL, HUB_ALERT_FROM and the recipients.',
  backup_failed:
    'Open the backups in the settings of the hub and start one, which shows the error. Check the free space and the permissions of HUB_BACKUP_DIR.',
  backups_uncounted:
    'Look at the files in HUB_BACKUP_DIR. Delete or move those that you do not need. A backup whose time was still to come counts as soon as that time is reached.',
  job_failed:
    "The job runs again by itself. The hub's log has the details of the error. If it keeps failing, report it with them as a defect of the hub.",
}

export type AlertPlatform = { platform_id: number; platform_name: string }

/** A condition that is true at the moment. `kind` and `subject` together identify it. */
export type FoundAlert = {
  kind: AlertKind
  subject: string
  platform: AlertPlatform | null
  message: string
}

export type OpenAlert = FoundAlert & { alert_id: number; raised_at: string }

/** In bytes. `available` is the space that the hub may use. */
export type DiskSpace = { available: number; total: number }

export type AlertChanges = {
  raise: FoundAlert[]
  resolve: OpenAlert[]
  /** Open alerts whose message has changed. */
  reword: { alert_id: number; message: string }[]
}

/**
 * Compares the open alerts of some kinds with the conditions found for them: new conditions are raised, and open alerts
 * whose condition was not found are resolved.
 */
export function diffAlerts(open: OpenAlert[], found: FoundAlert[]): AlertChanges {
  const openByKey = new Map(open.map((alert) => [keyOf(alert), alert]))
  const foundByKey = new Map(found.map((alert) => [keyOf(alert), alert]))
  const reword: AlertChanges['reword'] = []
  for (const [key, { alert_id, message }] of openByKey) {
    const current = foundByKey.get(key)
    if (current && current.message !== message) {
      reword.push({ alert_id, message: current.message })
    }
  }
  return {
    raise: [...foundByKey].filter(([key]) => !openByKey.has(key)).map(([, alert]) => alert),
    resolve: [...openByKey].filter(([key]) => !foundByKey.has(key)).map(([, alert]) => alert),
    reword,
  }
}

export function isEmpty({ raise, resolve, reword }: AlertChanges): boolean {
  return raise.length + resolve.length + reword.length === 0
}

function keyOf({ kind, subject }: Pick<FoundAlert, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

/** The activity entry of an alert that was raised or resolved. */
export function describeAlert(alert: FoundAlert, change: 'raised' | 'resolved'): NewActivity {
  const { kind, platform, message } = alert
  return {
    level: change === 'raised' ? 'warning' : 'info',
    kind: `alert.${change}`,
    message: change === 'raised' ? `Alert: ${message}` : `Alert resolved: ${message}`,
    ...(platform ? { platform } : {}),
    details: { alert: kind },
  }
}

/** The alerts without a mail yet: new ones, and those that were mailed when raised and are resolved now. */
export type UnmailedAlerts = { raised: Alert[]; resolved: Alert[] }

/** The background jobs of a process, as alerts and the log name them. */
const JOBS = [
  'scheduled pulls',
  'scheduled backups',
  'alerts',
  'retention',
  'push errors',
  'request log',
  'search index',
  'deletions',
  'reverts',
  'SQL views',
] as const
export type Job = (typeof JOBS)[number]

/** Reports an error of a job that runs in the background. */
export type ReportJobFailure = (job: Job, error: unknown) => void

/** The last failure of a job in this process. */
export type JobFailure = { job: Job; at: Date; reason: string }

/** A job without another failure for this time works again. */
const RECOVERED_AFTER_MS = 3_600_000

/** Whether a job failed recently. It runs again after an error, so its alert is resolved when it has stopped failing. */
export function isRecent(at: Date, now: Date): boolean {
  return Math.abs(now.getTime() - at.getTime()) < RECOVERED_AFTER_MS
}

export function toJobAlert({ job, reason }: JobFailure): FoundAlert {
  const message = `The background job "${job}" failed: ${reason}`
  return { kind: 'job_failed', subject: job, platform: null, message }
}

/** Another process may have raised an open alert, so it stays open for as long as if this process had. */
export function findFailedJobs(
  failures: ReadonlyMap<Job, JobFailure>,
  now: Date,
  findOpen: (subject: string) => OpenAlert | undefined,
): FoundAlert[] {
  return JOBS.flatMap((job) => {
    const failure = failures.get(job)
    if (failure && isRecent(failure.at, now)) return [toJobAlert(failure)]
    const open = findOpen(job)
    return open && isRecent(new Date(open.raised_at), now) ? [open] : []
  })
}

/** The settings and the standbys of a PostgreSQL server. */
export type ServerDurability = {
  fsync: boolean
  full_page_writes: boolean
  /** The setting; empty if commits wait for no standby. */
  synchronous_standby_names: string
  /** The number of connected servers that replay the write-ahead log, and of those that commits wait for. */
  standbys: number
  synchronous_standbys: number
  /**
   * The number of replication connections whose state the role of the hub may not read. Each may be a standby, or a
   * program that archives the write-ahead log.
   */
  hidden_connections: number
}

export type DurabilityRisk = {
  kind: 'storage_not_synced' | 'standby_asynchronous'
  /** The setting that causes it. */
  setting: 'fsync' | 'full_page_writes' | 'synchronous_standby_names'
  message: string
  remedy: string
}

/**
 * Whether a PostgreSQL server can lose writes that the hub has acknowledged: for alerts, the log and `recordhub
 * doctor`.
 * @param server null on SQLite, which has no such risk.
 */
export function findDurabilityRisks(server: ServerDurability | null): DurabilityRisk[] {
  if (!server) return []
  const unsynced = (['fsync', 'full_page_writes'] as const)
    .filter((setting) => !server[setting])
    .map((setting) => ({
      kind: 'storage_not_synced' as const,
      setting,
      message: `PostgreSQL: ${setting} is off, so a power failure can destroy the database.`,
      remedy: `ALTER SYSTEM SET ${setting} = on; SELECT pg_reload_conf();`,
    }))
  const standbys = server.standbys + server.hidden_connections
  if (standbys === 0 || server.synchronous_standby_names !== '') return unsynced
  return [
    ...unsynced,
    {
      kind: 'standby_asynchronous',
      setting: 'synchronous_standby_names',
      message: `PostgreSQL: synchronous_standby_names is empty, but ${describeStandbys(server)}. After a failover, pushes that were acknowledged shortly before it can be lost.`,
      remedy:
        'Set synchronous_standby_names on the server. With Patroni, set synchronous_mode: true.',
    },
  ]
}

/** Does not contain their number, which changes whenever one reconnects. */
function describeStandbys({ standbys }: ServerDurability): string {
  return standbys > 0
    ? 'there are standbys'
    : 'there are replication connections, probably of standbys (the hub may not read their state: GRANT pg_monitor to its role)'
}
