/**
 * Opens a database with the migrations of a later version. At the named point it prints the point and blocks, so that
 * the test can kill it there; otherwise it prints "done".
 */
import { sql } from 'kysely'
import { systemClock } from '../../../src/lib/time/clock.ts'
import { writeBackup } from '../../../src/storage/backup.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { openSqlite } from '../../../src/storage/sqlite/storage.ts'
import { hashReference } from '../storage/engine.ts'
import { withExtraMigrations } from '../storage/extra-migrations.ts'

type Job = { engine: 'SQLite' | 'PostgreSQL'; location: string; backups: string; blockAt: string }

const job: Job = JSON.parse(process.argv[2] ?? '')

/** Blocks forever at the point of the job. */
function reach(point: string): void {
  if (point !== job.blockAt) return
  process.stdout.write(`${point}\n`)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const migrations = withExtraMigrations(job.engine, async (step, db) => {
  if (job.engine === 'PostgreSQL') return reach(step)
  const { rows } = await sql<{ file: string }>`
    SELECT file FROM pragma_database_list WHERE name = 'main'
  `.execute(db)
  reach(`${rows[0]?.file.endsWith('.rehearsal') ? 'copy' : 'database'}: ${step}`)
})
const upgrade = {
  backup: {
    folder: job.backups,
    passphrase: null,
    async write(path: string) {
      reach('before the backup')
      await writeBackup(
        { url: `sqlite:${job.location}`, dataDir: '' },
        {
          ...{ path, passphrase: null, secretFingerprint: null, hubVersion: 'test' },
          onProgress: ({ phase }) => reach(`backup: ${phase}`),
        },
      )
      reach('after the backup')
    },
  },
  log: () => undefined,
}
const common = { asHub: true, timeZone: 'UTC', warn: () => undefined, hashReference, migrations }
const storage =
  job.engine === 'SQLite'
    ? await openSqlite({ ...common, path: job.location, clock: systemClock, upgrade })
    : await openPostgres({
        ...{ ...common, url: job.location, waiting: { seconds: 0 } },
        upgrade: { ...upgrade, backup: null },
      })
reach('opened')
await storage.close()
process.stdout.write('done\n')
