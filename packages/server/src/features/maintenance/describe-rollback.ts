/** What `recordhub rollback` prints: the backups, what each of them would lose, and the commands to run. */
import type { Backup } from '@recordhub/protocol'
import type { ChangesSince } from '../../storage/port/diagnostics-store.ts'

export type RollbackFacts = {
  /** The version of this program. */
  version: string
  /** Null if the database cannot be read; `problem` is the reason. */
  database: { location: string; applied: string[] } | null
  problem: string | null
  folder: string
  backups: {
    backup: Pick<Backup, 'file' | 'info' | 'problem'>
    path: string
    since: ChangesSince | null
  }[]
}

export function describeRollback(facts: RollbackFacts): string[] {
  const { version, database, problem, folder, backups } = facts
  return [
    database
      ? `The database ${database.location} has the schema ${database.applied.at(-1) ?? 'of no version'}. This is Recordhub ${version}.`
      : `The database cannot be read: ${problem}`,
    'An earlier version starts with this database only if it knows this schema. Otherwise it needs a backup with its schema.',
    'This command has changed nothing.',
    '',
    backups.length === 0
      ? `There are no backups in ${folder}. Without a backup with an older schema, only versions that know this schema can be started.`
      : `Backups in ${folder}, newest first:`,
    ...backups.flatMap((one) => ['', ...describeBackup(one, database)]),
  ]
}

function describeBackup(
  { backup, path, since }: RollbackFacts['backups'][number],
  database: RollbackFacts['database'],
): string[] {
  const { file, info, problem } = backup
  if (!info) return [`${file}: cannot be used (${problem})`]
  const { hub_version, created_at, migrations, tables, encrypted } = info
  const schema = migrations.at(-1) ?? 'of no version'
  const head = `${file}: ${created_at}, Recordhub ${hub_version}, schema ${schema}, ${tables['records'] ?? 0} records${encrypted ? ', encrypted' : ''}`
  if (database && migrations.join() === database.applied.join()) {
    return [
      head,
      `  Recordhub ${hub_version} knows the schema of the database: install it and start it. No restore is needed and nothing is lost.`,
    ]
  }
  return [head, `  ${describeLoss(since, created_at)}`, ...describeSteps(hub_version, path)]
}

function describeLoss(since: ChangesSince | null, at: string): string {
  if (!since) return `Everything that was stored after ${at} would be lost.`
  const { changed, deleted, audited } = since
  return `Lost would be everything after ${at}: ${changed} records that were created or changed, ${deleted} deletions (erasures are repeated), and ${audited} logged changes of operators, platforms and settings.`
}

function describeSteps(version: string, path: string): string[] {
  return [
    '  1. Stop every hub of this database.',
    '  2. Keep the current state: recordhub backup',
    `  3. Install Recordhub ${version}.`,
    `  4. recordhub restore ${quote(path)} --force`,
    '  5. Start the hub. The next pulls fetch changed records of platforms that have them; pushes of this time are lost.',
  ]
}

/** For a POSIX shell. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
