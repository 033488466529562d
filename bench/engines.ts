import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../packages/server/test/helpers/postgres/server.ts'
import { restrict } from './machine.ts'
import { withChildren } from './processes.ts'

export const ENGINES = ['SQLite', 'PostgreSQL'] as const
export type Engine = (typeof ENGINES)[number]

/** A database on the disk. */
export type BenchDatabase = {
  /** The settings of a hub for it. */
  env: Record<string, string>
  /** The processes of the database server; none for SQLite. */
  pids: () => number[]
  /** Contains the files of the database. */
  folder: string
  remove: () => Promise<void>
}

/** @param settings further settings of a PostgreSQL server. */
export async function createDatabase(
  engine: Engine,
  settings: Record<string, string> = {},
): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  if (engine === 'SQLite') {
    const env = { HUB_DATA_DIR: folder }
    return { env, pids: () => [], folder, remove: async () => removeFolder() }
  }
  const server = await startPostgres({
    onDisk: true,
    durable: true,
    settings: { shared_buffers: '256MB', max_wal_size: '4GB', ...settings },
  })
  const pid = Number(
    readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  )
  restrict(pid)
  return {
    env: {
      HUB_DATA_DIR: folder,
      DATABASE_URL: server.url,
      HUB_SECRET: 'the secret of a hub that is only measured',
    },
    pids: () => withChildren(pid),
    folder: join(server.folder, 'data'),
    async remove() {
      await server.remove()
      removeFolder()
    },
  }
}
