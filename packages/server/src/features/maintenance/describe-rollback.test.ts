import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRollback, type RollbackFacts } from './describe-rollback.ts'

const info = (hub_version: string, migrations: string[]) => ({
  ...{ engine: 'sqlite' as const, hub_version, migrations, position: 5, encrypted: false },
  ...{ created_at: '2026-03-10T08:00:00.000Z', secret_fingerprint: null, tables: { records: 7 } },
})
const backup = (
  file: string,
  found: ReturnType<typeof info> | null,
): RollbackFacts['backups'][number] => ({
  path: `/data/my backups/${file}`,
  since: { changed: 12, deleted: 3, audited: 4 },
  backup: { file, info: found, problem: found ? null : 'it is damaged' },
})
const facts: RollbackFacts = {
  version: '2.0.0',
  database: { location: '/data/recordhub.sqlite', applied: ['0001', '0002'] },
  problem: null,
  folder: '/data/my backups',
  backups: [
    backup('same', info('1.9.0', ['0001', '0002'])),
    backup('older', info('1.0.0', ['0001'])),
    backup('damaged', null),
  ],
}

test('a rollback states for each backup what is lost and which commands to run', () => {
  const text = describeRollback(facts).join('\n')
  assert.match(text, /has the schema 0002\. This is Recordhub 2\.0\.0/)
  assert.match(text, /same: .*\n {2}Recordhub 1\.9\.0 knows the schema .* nothing is lost\.\n/)
  assert.match(text, /older: .*Recordhub 1\.0\.0, schema 0001, 7 records\n/)
  assert.match(text, /12 records that were created or changed, 3 deletions .* 4 logged changes/)
  assert.match(
    text,
    /3\. Install Recordhub 1\.0\.0\.\n {2}4\. recordhub restore '\/data\/my backups\/older' --force\n/,
  )
  assert.match(text, /damaged: cannot be used \(it is damaged\)$/)
})

test('without backups or a readable database, a rollback says so', () => {
  const text = describeRollback({
    ...{ ...facts, backups: [], database: null, problem: 'file is not a database' },
  }).join('\n')
  assert.match(text, /cannot be read: file is not a database/)
  assert.match(text, /There are no backups in \/data\/my backups/)
})
