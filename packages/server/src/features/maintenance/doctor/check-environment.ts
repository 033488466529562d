/** Whether the versions, the clocks and the settings of the hub and of its database are valid and fit together. */
import { findDurabilityRisks } from '../../../domain/alerts/durability.ts'
import type { DiagnosticsStore, ServerFacts } from '../../../storage/port/diagnostics-store.ts'
import { findSecret } from '../verify-secret.ts'
import { type Finding, info, problem, warning } from './finding.ts'

export type CheckedSettings = {
  /** Messages about invalid settings, which have their defaults here. */
  invalid: readonly string[]
  /** Variables named `HUB_…` that are not settings. */
  unknown: readonly string[]
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
  const isListeningToAll = !LOCAL.test(host)
  const url = publicUrl === '' ? null : new URL(publicUrl)
  const findings = [
    ...invalid.map((message) => problem(message, 'Correct the setting. The hub does not start.')),
    ...unknown.map((name) =>
      warning(`${name} is not a setting of this version.`, 'Correct its name, or delete it.'),
    ),
  ]
  if (url?.protocol === 'http:' && !LOCAL.test(url.hostname)) {
    findings.push(
      warning(
        `HUB_PUBLIC_URL is ${publicUrl}: passwords and keys are sent without encryption.`,
        'Put a proxy with TLS in front of the hub, and set HUB_PUBLIC_URL to its https:// URL.',
      ),
    )
  }
  if (url === null && isListeningToAll) {
    findings.push(
      warning(
        `HOST is ${host}, but HUB_PUBLIC_URL is not set: links in invitations and mails lead to this machine.`,
        'Set HUB_PUBLIC_URL to the URL at which browsers reach the hub.',
      ),
    )
  }
  if (url?.protocol === 'https:' && !trustsProxy) {
    findings.push(
      warning(
        'HUB_PUBLIC_URL is https://, so a proxy is in front of the hub, but HUB_TRUST_PROXY is off: all clients have the address of the proxy, and share its limits for sign-ins.',
        'Set HUB_TRUST_PROXY to on, or to the addresses of the proxies.',
      ),
    )
  }
  if (settings.hasPreviousSecret) {
    findings.push(
      warning(
        'HUB_SECRET_PREVIOUS is set.',
        'After a rotation (recordhub secret rotate), delete it from the settings.',
      ),
    )
  }
  if (counterDays > 0 && counterDays < MIN_COUNTER_DAYS) {
    findings.push(
      warning(
        `HUB_RETENTION_COUNTERS_DAYS is ${counterDays}: alerts compare ${MIN_COUNTER_DAYS} days.`,
        `Set it to ${MIN_COUNTER_DAYS} or more.`,
      ),
    )
  }
  return findings
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
