/** The checks of `recordhub doctor` of what is stored: the database, the platforms and the leases of jobs. */
import PQueue from 'p-queue'
import { SOURCE_KEY_PURPOSE } from '../../../domain/platform/api-key.ts'
import { HubError } from '../../../errors.ts'
import type { SecretBox } from '../../../lib/crypto/secret-box.ts'
import type { PlatformClient } from '../../../platform-client/platform-client.ts'
import type {
  CounterDifference,
  DatabaseProblem,
  DiagnosticsStore,
  InvalidCounter,
  LeaseRow,
  PlatformSource,
  UnfinishedPull,
} from '../../../storage/port/diagnostics-store.ts'
import { LAG_LIMIT } from '../../../storage/port/search-index-store.ts'

const RESTORE =
  'Stop the hub, keep a copy of the damaged files, and restore a backup (recordhub restore). Check the disk and the memory of the machine.'

const REMEDIES: Record<DatabaseProblem['kind'], string> = {
  damaged: RESTORE,
  damaged_text_index: 'Build the search index again: recordhub search rebuild, or --fix.',
  broken_reference:
    'Rows were changed outside of the hub, or the database was damaged. Restore a backup, or delete the rows.',
  sequence_behind:
    'The next writes would fail or repeat numbers. Stop all hubs and restore a backup, or set the sequence to the higher value.',
  invalid_index: 'Build the index again while the hub runs: REINDEX INDEX CONCURRENTLY <name>.',
  sequence_cached:
    'Numbers must be given in order on all connections: ALTER SEQUENCE <name> CACHE 1.',
  not_validated: 'Validate it: ALTER TABLE <table> VALIDATE CONSTRAINT <name>.',
}

/** @param database reads the schema without a full scan. */
export async function checkStructure(database: DiagnosticsStore): Promise<Finding[]> {
  return (await database.findDefects()).map(toFinding)
}

export async function checkIntegrity(database: DiagnosticsStore): Promise<Finding[]> {
  const findings = (await database.findDamage()).map(toFinding)
  if (await database.canVerifyIndexes()) return findings
  const message =
    'The content of indexes was not verified, because the extension amcheck is missing.'
  return [
    ...findings,
    warning(
      message,
      'A superuser can install it: CREATE EXTENSION amcheck; GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean), bt_index_check(regclass) TO <user of the hub>.',
    ),
  ]
}

export async function checkReferences(database: DiagnosticsStore): Promise<Finding[]> {
  return (await database.findBrokenReferences()).map(toFinding)
}

function toFinding({ kind, name, detail }: DatabaseProblem): Finding {
  const repair = kind === 'damaged_text_index' ? 'search' : null
  return problem(`${name}: ${detail}`, REMEDIES[kind].replaceAll('<name>', name), repair)
}

/** The migrations of the database, and whether this version can use them. */
export async function checkSchema(database: DiagnosticsStore): Promise<Finding[]> {
  const { applied, pending, unknown } = await database.readSchema()
  if (applied.length === 0) {
    return [problem('No hub has created the tables yet.', 'Start the hub: recordhub start.')]
  }
  if (unknown.length > 0) {
    const message = `A newer version of Recordhub has migrated the database: ${unknown.join(', ')}.`
    return [problem(message, 'Run that version. recordhub rollback describes the way back.')]
  }
  if (pending.length > 0) {
    const message = `The database has the schema of an older version. Pending: ${pending.join(', ')}.`
    return [warning(message, 'The next start of the hub migrates it, after a backup.')]
  }
  return [info(`Schema ${applied.at(-1)}`)]
}

const LABELS: Record<CounterDifference['counter'], string> = {
  records: 'records',
  rejected_bytes: 'bytes of rejected pushes',
  created: 'created records',
  versions: 'versions',
}

/** Whether the stored counters equal the rows that they count. */
export async function checkCounters(database: DiagnosticsStore): Promise<Finding[]> {
  const differences = await database.compareCounters()
  const invalid = await database.findInvalidCounters()
  return [
    ...describeTotal(differences),
    ...differences.map(describeDifference),
    ...invalid.map(describeInvalid),
  ]
}

/** The dashboard shows the sum of these counters. */
function describeTotal(differences: CounterDifference[]): Finding[] {
  const ofModules = differences.filter(({ counter }) => counter === 'records')
  if (ofModules.length < 2) return []
  const excess = ofModules.reduce((sum, { stored, counted }) => sum + stored - counted, 0)
  const message = `The number of records in the dashboard is wrong by ${excess}, because of ${ofModules.length} modules.`
  return [problem(message, 'Count again: --fix.', 'counters')]
}

function describeDifference({ counter, name, stored, counted }: CounterDifference): Finding {
  if (counter === 'versions') {
    const message = `${name}: the stored sums of versions are wrong: they count ${stored} records, and ${counted} have a version.`
    return problem(message, 'Count again: --fix.', 'counters')
  }
  const message = `${name}: ${stored} ${LABELS[counter]} are counted, but there are ${counted}.`
  return counter === 'created'
    ? problem(message, 'The chart of this hour is too low. It cannot be counted again.')
    : problem(message, 'Count again: --fix.', 'counters')
}

function describeInvalid({ table, reason, rows }: InvalidCounter): Finding {
  if (reason === 'orphaned') {
    const message = `${table}: ${rows} rows belong to a platform or module that does not exist.`
    return table === 'module_counters' || table === 'digest_sums'
      ? problem(message, 'Delete them: --fix.', 'counters')
      : problem(message, 'They are not shown. Restore a backup if rows are missing elsewhere, too.')
  }
  const message = `${table}: ${rows} rows have counts that contradict each other.`
  return table === 'module_counters'
    ? problem(message, 'Count again: --fix.', 'counters')
    : problem(message, 'Charts may be wrong. These counts cannot be counted again.')
}

const SAMPLE_SIZE = 100
/** A running hub indexes a change within seconds. */
const MAX_DELAY_MS = 15 * 60_000
const REBUILD = 'Build the search index again: recordhub search rebuild, or --fix.'

/** Whether searches find what the hub has. */
export async function checkSearch(database: DiagnosticsStore): Promise<Finding[]> {
  const { state, position, last_change, lag, behind_since } = await database.readSearchIndex()
  if (state !== 'current') {
    if (last_change === 0) return []
    const reason = state === 'missing' ? 'does not exist' : 'belongs to another version or database'
    return [
      warning(
        `The search index ${reason}.`,
        'A running hub creates it. Until then, searches are slow.',
      ),
    ]
  }
  if (position > last_change) {
    const message = `The search index has change ${position}, but the last change is ${last_change}: it belongs to a later state of the database.`
    return [problem(message, REBUILD, 'search')]
  }
  const { sampled, missing } = await database.sampleSearchIndex(SAMPLE_SIZE)
  if (missing.length > 0) {
    const message = `A search would not find ${missing.length} of ${sampled} records: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}.`
    return [problem(message, REBUILD, 'search')]
  }
  const behind = `${lag}${lag === LAG_LIMIT ? ' or more' : ''} changed records are not indexed`
  const now = Date.parse((await database.readServer()).now)
  const isLate = behind_since !== null && now - Date.parse(behind_since) > MAX_DELAY_MS
  if (isLate && (await database.isHubRunning())) {
    const message = `${behind} since ${behind_since}, although a hub is running.`
    return [problem(message, 'Look for errors in the log of the hub, and restart it.')]
  }
  return [info(`${sampled} sampled records are found${lag > 0 ? `; ${behind} yet` : ''}`)]
}

/** A repair of `--fix`. */
export type RepairName = 'counters' | 'leases' | 'pull' | 'search' | 'permissions'

export type Finding = {
  /** Only a `problem` makes the hub unhealthy. `info` needs no action. */
  severity: 'problem' | 'warning' | 'info'
  message: string
  /** What to do; null if nothing. */
  remedy: string | null
  /** The repair that resolves it; null if none does. */
  repair: RepairName | null
}

export function problem(
  message: string,
  remedy: string,
  repair: RepairName | null = null,
): Finding {
  return { severity: 'problem', message, remedy, repair }
}

export function warning(message: string, remedy: string): Finding {
  return { severity: 'warning', message, remedy, repair: null }
}

export function info(message: string): Finding {
  return { severity: 'info', message, remedy: null, repair: null }
}

const CONCURRENCY = 8

/**
 * Whether the hub can reach its platforms, and their health. Pings the active platforms, a few at a time, and states
 * why platforms are failing or need attention.
 * @param signal ends the check. Platforms that were not pinged by then are reported.
 */
export async function checkPlatforms(
  sources: PlatformSource[],
  deps: { client: Pick<PlatformClient, 'ping'>; secrets: SecretBox; signal: AbortSignal },
): Promise<Finding[]> {
  const active = sources.filter(({ status }) => status === 'active')
  const queue = new PQueue({ concurrency: CONCURRENCY })
  const results = await Promise.all(
    active.map((source) => queue.add(() => pingSource(source, deps))),
  )
  const unchecked = results.filter((result) => result === 'not_checked').length
  const findings = results.filter((result) => typeof result === 'object')
  const reached = results.length - unchecked - findings.length
  return [
    info(`${reached} of ${active.length} active platforms respond`),
    ...findings,
    ...sources.flatMap(describeHealth),
    ...(unchecked === 0
      ? []
      : [
          warning(
            `${unchecked} platforms were not checked within the time limit.`,
            'Run this command with a longer --timeout.',
          ),
        ]),
  ]
}

function describeHealth({ platform_name, health }: PlatformSource): Finding[] {
  const { state, reasons } = health
  if (state !== 'failing' && state !== 'needs_attention') return []
  const label = state === 'failing' ? 'is failing' : 'needs attention'
  const message = `${platform_name} ${label}: ${reasons.map((reason) => reason.message).join(' ')}`
  return [warning(message, 'The page of the platform links to what to do.')]
}

async function pingSource(
  { platform_name, source_base_url, encrypted_source_key }: PlatformSource,
  { client, secrets, signal }: Parameters<typeof checkPlatforms>[1],
): Promise<Finding | 'reached' | 'not_checked'> {
  if (signal.aborted) return 'not_checked'
  let source_api_key: string
  try {
    source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  } catch {
    const message = `${platform_name}: the source API key cannot be decrypted.`
    return problem(message, 'Enter the key again in the settings of the platform.')
  }
  try {
    await client.ping({ source_base_url, source_api_key }, signal)
    return 'reached'
  } catch (error) {
    if (signal.aborted) return 'not_checked'
    if (!(error instanceof HubError)) throw error
    const remedy = 'Test the connection in the settings of the platform, or set it to inactive.'
    return problem(`${platform_name}: ${error.message}`, remedy)
  }
}

/** No lease is longer than an hour, so one that ends later was taken with a wrong clock. */
const MAX_LEASE_MS = 24 * 3_600_000
/** A lease that expired is taken by the next process. After this time, none has. */
const UNUSED_MS = 24 * 3_600_000
/** Not a lease: the readiness check writes this row. */
const NO_LEASE = 'health check'

/** The times outside of which leases are deleted. RFC 3339 in UTC. */
export function staleLeaseRange(now: Date): { before: string; after: string } {
  return {
    before: new Date(now.getTime() - UNUSED_MS).toISOString(),
    after: new Date(now.getTime() + MAX_LEASE_MS).toISOString(),
  }
}

/** @param pullSeconds the time limit of a pull. */
export async function checkLeases(
  database: DiagnosticsStore,
  pullSeconds: number,
): Promise<Finding[]> {
  const now = new Date((await database.readServer()).now)
  const leases = await database.listLeases()
  const pull = await database.readUnfinishedPull()
  return [
    ...findStaleLeases(leases, now),
    ...(pull ? findStuckPull(pull, { now, pullSeconds }) : []),
  ]
}

export function findStaleLeases(leases: LeaseRow[], now: Date): Finding[] {
  const { before, after } = staleLeaseRange(now)
  return leases
    .filter(({ name }) => name !== NO_LEASE)
    .flatMap(({ name, expires_at }) => {
      if (expires_at > after) {
        const message = `The job "${name}" is reserved until ${expires_at}, so it does not run. The clock was wrong.`
        return [problem(message, 'Delete the lease: --fix.', 'leases')]
      }
      if (expires_at >= before) return []
      const message = `The lease of the job "${name}" expired at ${expires_at} and was not renewed.`
      return [{ ...info(`${message} --fix deletes it.`), repair: 'leases' as const }]
    })
}

export function findStuckPull(
  pull: UnfinishedPull,
  { now, pullSeconds }: { now: Date; pullSeconds: number },
): Finding[] {
  const { pull_id, state, started_at, requested_at, lease_until } = pull
  if (lease_until !== null && lease_until < now.toISOString()) {
    const message = `Pull ${pull_id} is ${state}, but its process ended: the lease expired at ${lease_until}.`
    return [problem(message, 'End it: --fix. The next pull does so, too.', 'pull')]
  }
  const since = started_at ?? requested_at
  const seconds = (now.getTime() - Date.parse(since)) / 1000
  if (seconds < 2 * pullSeconds) return [info(`Pull ${pull_id} is ${state} since ${since}.`)]
  const message = `Pull ${pull_id} is ${state} since ${since}, for longer than HUB_PULL_TIMEOUT_SECONDS (${pullSeconds}) allows.`
  return [problem(message, 'Restart the hub, and look for errors in its log.')]
}
