/** Whether the files, indexes, sequences, references, counters and the search index of the database are intact. */
import type {
  CounterDifference,
  DatabaseProblem,
  DiagnosticsStore,
  InvalidCounter,
} from '../../../storage/port/diagnostics-store.ts'
import { LAG_LIMIT } from '../../../storage/port/search-index-store.ts'
import { type Finding, info, problem, warning } from './finding.ts'

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

/** Reads the whole database. */
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
  const message = `${name}: ${stored} ${LABELS[counter]} are counted, but there are ${counted}.`
  return counter === 'created'
    ? problem(message, 'The chart of this hour is too low. It cannot be counted again.')
    : problem(message, 'Count again: --fix.', 'counters')
}

function describeInvalid({ table, reason, rows }: InvalidCounter): Finding {
  if (reason === 'orphaned') {
    const message = `${table}: ${rows} rows belong to a platform or module that does not exist.`
    return table === 'module_counters'
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
