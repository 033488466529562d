/** The checks of `recordhub doctor` of what the hub runs with: settings, clocks and disk. */
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { findDurabilityRisks } from '../../../domain/alerts/alert.ts'
import { formatGigabytes, lowDiskBytes } from '../../../domain/alerts/alert-conditions.ts'
import type { DiagnosticsStore, ServerFacts } from '../../../storage/port/diagnostics-store.ts'
import { upgradeSpace } from '../../../storage/port/storage.ts'
import { findSecret } from '../verify-secret.ts'
import { type Finding, info, problem, warning } from './check-database.ts'

export type CheckedSettings = {
  /** Messages about invalid settings, which have their defaults here. */
  invalid: readonly string[]
  /** Variables named `HUB_…` that are not settings. */
  unknown: readonly string[]
  /** Messages about invalid settings in the database, which have their defaults here and in the hub. */
  invalidStored: readonly string[]
  publicUrl: string
  host: string
  trustsProxy: boolean
  hasPreviousSecret: boolean
  /** The secrets of the setting or the file, the current one first; empty if there is none. */
  secrets: readonly string[]
  counterDays: number
}

const LOCAL = /^(localhost|127\.|\[?::1\]?$)/
/** Alerts about unusual numbers of pushes compare four weeks. */
const MIN_COUNTER_DAYS = 28

export function checkSettings(settings: CheckedSettings): Finding[] {
  const { invalid, unknown, publicUrl, host, trustsProxy, counterDays } = settings
  const url = publicUrl === '' ? null : new URL(publicUrl)
  const warnIf = (isWrong: boolean, message: string, remedy: string) =>
    isWrong ? [warning(message, remedy)] : []
  return [
    ...invalid.map((message) => problem(message, 'Correct the setting. The hub does not start.')),
    ...unknown.map((name) =>
      warning(`${name} is not a setting of this version.`, 'Correct its name, or delete it.'),
    ),
    ...settings.invalidStored.map((message) =>
      warning(`${message} The hub uses the default.`, 'Correct it in the settings of the hub.'),
    ),
    ...warnIf(
      url?.protocol === 'http:' && !LOCAL.test(url.hostname),
      `HUB_PUBLIC_URL is ${publicUrl}: passwords and keys are sent without encryption.`,
      'Put a proxy with TLS in front of the hub, and set HUB_PUBLIC_URL to its https:// URL.',
    ),
    ...warnIf(
      url === null && !LOCAL.test(host),
      `HOST is ${host}, but HUB_PUBLIC_URL is not set: links in invitations and mails lead to this machine.`,
      'Set HUB_PUBLIC_URL to the URL at which browsers reach the hub.',
    ),
    ...warnIf(
      url?.protocol === 'https:' && !trustsProxy,
      'HUB_PUBLIC_URL is https://, so a proxy is in front of the hub, but HUB_TRUST_PROXY is off: all clients have the address of the proxy, and share its limits for sign-ins.',
      'Set HUB_TRUST_PROXY to on, or to the addresses of the proxies.',
    ),
    ...warnIf(
      settings.hasPreviousSecret,
      'HUB_SECRET_PREVIOUS is set.',
      'After a rotation (recordhub secret rotate), delete it from the settings.',
    ),
    ...warnIf(
      counterDays > 0 && counterDays < MIN_COUNTER_DAYS,
      `HUB_RETENTION_COUNTERS_DAYS is ${counterDays}: alerts compare ${MIN_COUNTER_DAYS} days.`,
      `Set it to ${MIN_COUNTER_DAYS} or more.`,
    ),
  ]
}

/** Whether the secret is that of the database. @param encryptedKey null in a new database. */
export function checkSecret(secrets: readonly string[], encryptedKey: string | null): Finding[] {
  if (secrets.length === 0) {
    return [problem('There is no secret.', 'Set HUB_SECRET, or restore the file recordhub.secret.')]
  }
  if (encryptedKey === null) return []
  const found = findSecret(secrets, encryptedKey)
  if (!found) {
    return [
      problem(
        'The secret does not decrypt the database, so the hub does not start.',
        'Set HUB_SECRET to the secret with which the database was created, or restore recordhub.secret.',
      ),
    ]
  }
  if (found.secret === secrets[0]) return []
  return [
    problem(
      'The database is encrypted with the previous secret: a rotation was not completed.',
      'Stop the hub and run: recordhub secret rotate',
    ),
  ]
}

/** The settings of PostgreSQL that decide whether acknowledged writes survive. Empty on SQLite. */
export function checkServerSettings({ settings, durability }: ServerFacts): Finding[] {
  const findings: Finding[] = findDurabilityRisks(durability).map(({ kind, message, remedy }) =>
    kind === 'storage_not_synced' ? problem(message, remedy) : warning(message, remedy),
  )
  if (settings['default_transaction_read_only'] === 'on') {
    findings.push(
      problem(
        'PostgreSQL: default_transaction_read_only is on, so the hub cannot write.',
        'Set it to off for the user and the database of the hub.',
      ),
    )
  }
  const names = durability?.synchronous_standby_names ?? ''
  if (durability && names !== '' && durability.synchronous_standbys === 0) {
    findings.push(
      durability.hidden_connections > 0
        ? warning(
            `PostgreSQL: synchronous_standby_names is "${names}", but the user may not read whether a synchronous standby is connected.`,
            'GRANT pg_monitor to the user of the hub.',
          )
        : problem(
            `PostgreSQL: synchronous_standby_names is "${names}", but no synchronous standby is connected: every commit waits.`,
            'Start the standby, or remove it from synchronous_standby_names.',
          ),
    )
  }
  const commit = settings['synchronous_commit'] ?? 'on'
  if (commit !== 'on') {
    findings.push(
      warning(
        `PostgreSQL: synchronous_commit is ${commit}, but the hub always uses "on".`,
        'Set it to on, so that the configuration shows what happens.',
      ),
    )
  }
  return findings
}

/** The first versions whose `node:sqlite` binds numbered parameters correctly; the range of the published package. */
const MIN_NODE = '24.7, or 22.20 of Node.js 22,'
const isSupported = (major: number, minor: number) =>
  major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20)

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** @param server null if the database cannot be read. */
export function checkVersions(
  { hub, node }: { hub: string; node: string },
  server: (Pick<ServerFacts, 'engine_version'> & { engine: 'sqlite' | 'postgres' }) | null,
): Finding[] {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number)
  const engine = server ? `, ${ENGINES[server.engine]} ${server.engine_version}` : ''
  return [
    info(`Recordhub ${hub}, Node.js ${node}${engine}`),
    ...(isSupported(major, minor)
      ? []
      : [problem(`Node.js ${node} is not supported.`, `Install Node.js ${MIN_NODE} or later.`)]),
  ]
}

const MAX_DIFFERENCE_MS = 5000
/** A write may have been committed while this check ran. */
const MAX_FUTURE_MS = 60_000
const SYNCHRONIZE = 'Synchronize the clocks with NTP (timedatectl set-ntp true).'

/** Whether the clocks agree with each other and with what was written last. */
export async function checkClock(database: DiagnosticsStore): Promise<Finding[]> {
  const sentAt = Date.now()
  const { now } = await database.readServer()
  const difference = Date.parse(now) - (sentAt + Date.now()) / 2
  return describeClocks({
    difference,
    databaseTime: new Date(now),
    lastWritten: await database.readLastWritten(),
  })
}

/** @param facts `difference` is how many milliseconds the clock of the database is ahead of this machine's. */
export function describeClocks(facts: {
  difference: number
  databaseTime: Date
  lastWritten: string | null
}): Finding[] {
  const { difference, databaseTime, lastWritten } = facts
  const seconds = Math.round(Math.abs(difference) / 1000)
  const findings: Finding[] = []
  if (Math.abs(difference) > MAX_DIFFERENCE_MS) {
    const direction = difference > 0 ? 'behind' : 'ahead of'
    const message = `The clock of this machine is ${seconds} s ${direction} that of the database server.`
    findings.push(problem(message, SYNCHRONIZE))
  }
  if (lastWritten !== null && Date.parse(lastWritten) - databaseTime.getTime() > MAX_FUTURE_MS) {
    const message = `The last write was at ${lastWritten}, but it is only ${databaseTime.toISOString()}: the clock was moved back.`
    findings.push(problem(message, `${SYNCHRONIZE} Until then, times in the hub are wrong.`))
  }
  return findings.length > 0 ? findings : [info(`It is ${databaseTime.toISOString()}`)]
}

/** A running hub overwrites the log when it exceeds 64 MiB. */
const LARGE_LOG_BYTES = 256 * 1024 ** 2
/** The files of the hub in its data folder. */
const HUB_FILES = /^(recordhub\.secret|.+\.sqlite(-wal|-shm|\.lock|\.state)?|backups)$/

/**
 * Whether the disk has space, and who may access the files of the hub.
 * @param database the size of the database and of its log in bytes; null on PostgreSQL and for an unreadable database.
 */
export async function checkDisk(
  folder: string,
  database: { bytes: number; log_bytes: number | null } | null,
): Promise<Finding[]> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const available = bavail * bsize
  const findings = [info(`${formatGigabytes(available)} are free`)]
  if (available < lowDiskBytes(blocks * bsize)) {
    const message = `The disk with ${folder} has only ${formatGigabytes(available)} left.`
    findings.push(warning(message, 'Delete other files, or move HUB_DATA_DIR to a larger disk.'))
  }
  const needed = upgradeSpace((database?.bytes ?? 0) + (database?.log_bytes ?? 0)).both
  if (available < needed) {
    const message = `An upgrade that changes the schema needs up to ${formatGigabytes(needed)} for a backup and a copy of the database.`
    findings.push(warning(message, 'Free the space before the next upgrade.'))
  }
  if (database?.log_bytes && database.log_bytes > LARGE_LOG_BYTES) {
    const message = `The write-ahead log has ${formatGigabytes(database.log_bytes)}.`
    findings.push(
      warning(
        message,
        'Another program reads the database for a long time. End it, or restart the hub.',
      ),
    )
  }
  return findings
}

type FileAccess = { path: string; mode: number; uid: number; isFolder: boolean }

/** Who may access the data folder and the files of the hub in it. They contain secrets and personal data. */
export function checkPermissions(folder: string): Finding[] {
  // The mode bits of Windows have no meaning.
  if (process.platform === 'win32') return []
  const files = listFiles(folder)
  const [own] = files
  const unwritable = files.filter(({ path }) => !isWritable(path))
  return [
    ...files.filter(isOpenToOthers).map(({ path, mode }) => {
      const message = `Other users of the machine may access ${path} (mode ${mode.toString(8)}).`
      return problem(message, 'Restrict it to its owner: --fix.', 'permissions')
    }),
    ...unwritable.map(({ path }) =>
      problem(`This user cannot write ${path}.`, 'Run this command as the user of the hub.'),
    ),
    ...files
      .filter(({ uid }) => own && uid !== own.uid)
      .map(({ path, uid }) =>
        problem(
          `${path} belongs to user ${uid}, and its folder to user ${own?.uid}.`,
          `Change its owner: chown ${own?.uid} ${path}`,
        ),
      ),
  ]
}

/** Restricts the files to their owner. @returns the paths that were changed. */
export function fixPermissions(folder: string): string[] {
  return listFiles(folder)
    .filter(isOpenToOthers)
    .map(({ path, isFolder }) => {
      chmodSync(path, isFolder ? 0o700 : 0o600)
      return path
    })
}

/** The folder itself, then the files. */
function listFiles(folder: string): FileAccess[] {
  const names = readdirSync(folder).filter((name) => HUB_FILES.test(name))
  return [folder, ...names.toSorted().map((name) => join(folder, name))].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) return []
    return [{ path, mode: found.mode & 0o777, uid: found.uid, isFolder: found.isDirectory() }]
  })
}

/** The secret is for the owner alone. A group may read the rest, for example to copy backups. */
function isOpenToOthers({ path, mode }: FileAccess): boolean {
  return (mode & (path.endsWith('recordhub.secret') ? 0o077 : 0o027)) !== 0
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
