/** Whether the files, indexes, sequences and references of the database are intact. */
import type { DatabaseProblem, DiagnosticsStore } from '../../../storage/port/diagnostics-store.ts'
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
