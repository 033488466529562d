import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../packages/server/test/helpers/postgres/server.ts'

export const ENGINES = ['SQLite', 'PostgreSQL'] as const
export type Engine = (typeof ENGINES)[number]

/** Creates a database on the disk. @returns the settings of a hub for it. */
export type BenchDatabase = { env: Record<string, string>; remove: () => Promise<void> }

export async function createDatabase(engine: Engine): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  if (engine === 'SQLite') {
    return { env: { HUB_DATA_DIR: folder }, remove: async () => removeFolder() }
  }
  const server = await startPostgres({
    onDisk: true,
    durable: true,
    settings: { shared_buffers: '256MB', max_wal_size: '4GB' },
  })
  return {
    env: {
      HUB_DATA_DIR: folder,
      DATABASE_URL: server.url,
      HUB_SECRET: 'the secret of a hub that is only measured',
    },
    async remove() {
      await server.remove()
      removeFolder()
    },
  }
}
