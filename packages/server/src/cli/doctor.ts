import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { applyStored, readConfigLeniently, SettingError } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { toPlatformClientSettings } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { HubError, messageOf } from '../errors.ts'
import type { RepairName } from '../features/maintenance/doctor/check-database.ts'
import { type Repair, runRepairs } from '../features/maintenance/doctor/repair.ts'
import {
  type CheckResult,
  type DoctorDeps,
  describeError,
  runDoctor,
} from '../features/maintenance/doctor/run-doctor.ts'
import { findSecret } from '../features/maintenance/verify-secret.ts'
import { createSecretBox } from '../lib/crypto/secret-box.ts'
import { createPlatformClient } from '../platform-client/platform-client.ts'
import { DEFAULT_TIMEOUTS } from '../platform-client/request/timeouts.ts'
import { databasePathOf, isPostgres, openDiagnostics } from '../storage/open.ts'
import type { Arguments } from './arguments.ts'
import { readSecretFile } from './load-secret.ts'
import { withStorage } from './open-storage.ts'
import { VERSION } from './version.ts'

type Print = (line: string) => void
type Diagnostics = Awaited<ReturnType<typeof openDiagnostics>>

/** Settings without which the doctor would examine another hub. */
const LOCATION = /^(DATABASE_URL|HUB_DATA_DIR):/
const DEFAULT_SECONDS = 3600
const PING_SECONDS = 10

/** Findings of a check that are printed. */
const MAX_SHOWN = 20

const UNHEALTHY = 1
const NOT_RUN = 2

/** The output of `--json`. */
type Report = {
  healthy: boolean
  checked_at: string
  /** Null if the database could not be opened; `error` has the reason. */
  database: { engine: string; location: string; hub_running: boolean } | null
  error: string | null
  checks: CheckResult[]
  repairs: Repair[]
}

/**
 * `recordhub doctor`: checks a hub, running or not, and repairs it with `--fix`.
 * @returns the exit code: 0 if the hub is healthy, 1 if it has problems, 2 if the database could not be checked.
 * @throws SettingError for invalid arguments.
 */
export async function doctor(
  { settings, options, switches }: Pick<Arguments, 'settings' | 'options' | 'switches'>,
  print: Print,
  printError: Print,
): Promise<number> {
  const read = readConfigLeniently({
    flags: settings,
    ...readEnvironment(),
  })
  const { unknown, invalid } = read
  const location = invalid.find((message) => LOCATION.test(message))
  if (location !== undefined) throw new SettingError(location)
  const signal = AbortSignal.timeout(parseSeconds(options['timeout']) * 1000)
  const isJson = switches.has('json')
  const auditExport = options['audit'] ?? null
  if (auditExport !== null) assertReadable(auditExport)
  const { database, error } = await openDatabase(read.config)
  const listed = await database?.listSettings().catch(() => [])
  const stored = applyStored(read, listed ?? [])
  const { config } = stored
  const firstByteSeconds = PING_SECONDS
  const timeouts = { ...DEFAULT_TIMEOUTS, firstByteSeconds, shortCallSeconds: PING_SECONDS }
  const client = createPlatformClient(toPlatformClientSettings(config, timeouts))
  try {
    const deps = await createDeps(
      config,
      { invalid, unknown, stored: stored.invalid },
      { database, client, signal, auditExport },
    )
    const progress = isJson ? printError : print
    const run = (only?: ReadonlySet<string>) =>
      runChecks(deps, { quick: switches.has('quick'), ...(only ? { only } : {}) }, progress, isJson)
    let checks = await run()
    let repairs: Repair[] = []
    if (switches.has('fix')) {
      repairs = await repair(config, checks, { dataDir: deps.dataDir, progress })
      const repaired = new Set(repairs.map(({ name }) => name))
      const names = checks
        .filter(({ findings }) => findings.some((one) => one.repair && repaired.has(one.repair)))
        .map(({ name }) => name)
      if (names.length > 0) {
        progress('Checking again:')
        const after = new Map((await run(new Set(names))).map((result) => [result.name, result]))
        checks = checks.map((result) => after.get(result.name) ?? result)
      }
    }
    const healthy = error === null && checks.every(({ status }) => status !== 'problem')
    const report: Report = {
      healthy,
      checked_at: new Date().toISOString(),
      database: await describeDatabase(database),
      error,
      checks,
      repairs,
    }
    if (isJson) print(JSON.stringify(report, null, 2))
    else for (const line of summarize(report)) print(line)
    return error === null ? (healthy ? 0 : UNHEALTHY) : NOT_RUN
  } finally {
    await client.close()
    await database?.close()
  }
}

async function openDatabase(
  config: Config,
): Promise<{ database: Diagnostics | null; error: string | null }> {
  const { DATABASE_URL: url, HUB_DATA_DIR: dataDir } = config
  try {
    return { database: await openDiagnostics({ url, dataDir }), error: null }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return { database: null, error: error.message }
  }
}

async function createDeps(
  config: Config,
  { invalid, unknown, stored }: { invalid: string[]; unknown: string[]; stored: string[] },
  options: Pick<DoctorDeps, 'client' | 'signal' | 'auditExport'> & {
    database: Diagnostics | null
  },
): Promise<DoctorDeps> {
  const { database, client, signal, auditExport } = options
  const isFile = !isPostgres(config.DATABASE_URL)
  const folder = isFile
    ? dirname(databasePathOf({ url: config.DATABASE_URL, dataDir: config.HUB_DATA_DIR }))
    : resolve(config.HUB_DATA_DIR)
  const { HUB_SECRET, HUB_SECRET_PREVIOUS } = config
  const inFile = isFile && !HUB_SECRET ? tryReadSecretFile(config) : []
  if (typeof inFile === 'string') invalid.push(inFile)
  const secrets = [
    ...(HUB_SECRET ? [HUB_SECRET] : []),
    ...(typeof inFile === 'string' ? [] : inFile),
    ...(HUB_SECRET_PREVIOUS ? [HUB_SECRET_PREVIOUS] : []),
  ]
  const encryptedKey = await database?.readEncryptedKey().catch(() => null)
  const secret = encryptedKey ? findSecret(secrets, encryptedKey)?.secret : secrets[0]
  return {
    database,
    dataDir: existsSync(folder) ? folder : null,
    settings: {
      invalid,
      unknown,
      invalidStored: stored,
      publicUrl: config.HUB_PUBLIC_URL,
      host: config.HOST,
      trustsProxy: config.HUB_TRUST_PROXY !== false,
      hasPreviousSecret: HUB_SECRET_PREVIOUS !== '',
      secrets,
      counterDays: config.HUB_RETENTION_COUNTERS_DAYS,
    },
    versions: { hub: VERSION, node: process.version },
    pullSeconds: config.HUB_PULL_TIMEOUT_SECONDS,
    auditExport,
    client,
    secrets: secret === undefined ? null : createSecretBox(secret),
    signal,
  }
}

/** @returns the secrets of the file, or the message of its error. */
function tryReadSecretFile(config: Config): readonly string[] | string {
  try {
    return readSecretFile(config) ?? []
  } catch (error) {
    return messageOf(error)
  }
}

async function runChecks(
  deps: DoctorDeps,
  options: { quick: boolean; only?: ReadonlySet<string> },
  progress: Print,
  isJson: boolean,
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for await (const event of runDoctor(deps, options)) {
    if (event.kind === 'finished') {
      results.push(event.result)
      if (!isJson) for (const line of formatResult(event.result)) progress(line)
    } else if (event.isFullScan) {
      progress(`… ${event.name}: reads the whole database`)
    }
  }
  return results
}

const MARKS: Record<CheckResult['status'], string> = {
  ok: 'ok',
  warning: 'WARNING',
  problem: 'PROBLEM',
  skipped: 'skipped',
}

function formatResult({ name, status, seconds, findings }: CheckResult): string[] {
  const duration = seconds >= 1 ? ` (${seconds.toFixed(0)} s)` : ''
  const notes = findings.filter(({ severity }) => severity === 'info')
  const note = notes.map(({ message }) => message).join('; ')
  const shown = findings.filter(({ severity }) => severity !== 'info')
  const lines = shown.slice(0, MAX_SHOWN).flatMap(({ message, remedy }, index) => {
    // Of findings with the same remedy, the last one shows it.
    const isLast = remedy !== shown[index + 1]?.remedy || index === MAX_SHOWN - 1
    return [message, ...(remedy !== null && isLast ? [`→ ${remedy}`] : [])]
  })
  const hidden = shown.length - MAX_SHOWN
  return [
    `${MARKS[status].padEnd(8)} ${name.padEnd(17)} ${note}${duration}`.trimEnd(),
    ...lines.map((line) => `           ${line}`),
    ...(hidden > 0 ? [`           ${hidden} more, see --json`] : []),
  ]
}

async function repair(
  config: Config,
  checks: CheckResult[],
  { dataDir, progress }: { dataDir: string | null; progress: Print },
): Promise<Repair[]> {
  const findings = checks.flatMap((check) => check.findings.map((one) => ({ ...one, check })))
  const names = new Set(findings.flatMap((one) => (one.repair === null ? [] : [one.repair])))
  // Writes to a damaged database can damage it further.
  const isDamaged = findings.some(
    ({ severity, repair: found, check }) =>
      severity === 'problem' && found === null && STRUCTURAL.has(check.name),
  )
  if (isDamaged) {
    progress('The database is damaged, so nothing in it is repaired. Restore a backup first.')
    for (const name of names) if (name !== 'permissions') names.delete(name)
  }
  if (names.size === 0) {
    progress('There is nothing to repair.')
    return []
  }
  const repairs = await runRepairs(new Set<RepairName>(names), {
    dataDir,
    now: new Date(),
    withStorage: (use) => withStorage(config, use),
  }).catch((error: unknown) => {
    throw new Error(`The repair failed: ${describeError(error)}`)
  })
  progress('Repaired:')
  for (const line of repairs.flatMap(({ changes }) => changes)) progress(`  ${line}`)
  return repairs
}

const STRUCTURAL = new Set(['integrity', 'structure', 'references'])

async function describeDatabase(database: Diagnostics | null): Promise<Report['database']> {
  if (!database) return null
  const { engine, location } = database
  // The state of a damaged database is unknown.
  const hub_running = await database.isHubRunning().catch(() => false)
  return { engine, location, hub_running }
}

function summarize({ healthy, database, error, checks }: Report): string[] {
  if (error !== null) return ['', `The database could not be checked: ${error}`]
  const count = (status: CheckResult['status']) =>
    checks.filter((check) => check.status === status).length
  const hub = database?.hub_running ? 'A hub is running' : 'No hub is running'
  const verdict = healthy ? 'Healthy' : `Problems in ${count('problem')} checks`
  return ['', `${verdict}; ${count('warning')} with warnings. ${hub} on ${database?.location}.`]
}

function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    throw new SettingError(`doctor: --audit: ${describeError(error)}`)
  }
}

function parseSeconds(text: string | undefined): number {
  if (text === undefined) return DEFAULT_SECONDS
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds > 0) return seconds
  throw new SettingError(`doctor: --timeout must be a positive number of seconds, not "${text}".`)
}
