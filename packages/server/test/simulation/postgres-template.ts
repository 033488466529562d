/** The PostgreSQL database with which each simulation begins, as `template.ts` for SQLite. */
import { systemClock } from '../../src/lib/time/clock.ts'
import { openPostgres } from '../../src/storage/postgres/storage.ts'
import { createDatabase, type TestDatabase } from '../helpers/postgres/database.ts'
import { hashReference } from '../helpers/storage/engine.ts'
import { openPostgresView } from './postgres-view.ts'
import { PLATFORMS, registerSimulated, type Template } from './template.ts'

export async function createPostgresTemplate(): Promise<Template> {
  const template = await createDatabase()
  const storage = await openPostgres({
    ...{ url: template.url, asHub: true, timeZone: 'UTC', clock: systemClock, hashReference },
    ...{ waiting: { seconds: 0 }, warn: () => undefined },
  })
  const keys = new Map<string, string>()
  for (const [name, modules] of Object.entries(PLATFORMS)) {
    keys.set(name, await registerSimulated(storage, name, modules))
  }
  await storage.close()
  let current: TestDatabase | null = null
  return {
    engine: 'postgres',
    openView: openPostgresView,
    keyOf: (platform) => keys.get(platform) ?? '',
    async create() {
      await current?.drop()
      current = await createDatabase({ template: template.name })
      return current.url
    },
    async remove() {
      await current?.drop()
      await template.drop()
    },
  }
}
