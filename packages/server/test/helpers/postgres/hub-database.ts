/** Databases with the tables of a hub. The code of the hub is loaded only if there is no template yet. */
import { createDatabaseFromTemplate, type TestDatabase } from './database.ts'
import { defineEmptying } from './empty-database.ts'

/** Creates a database with the tables of a hub, which `connectToEmpty` can empty. */
export function createHubDatabase(): Promise<TestDatabase> {
  const prepare = async (url: string) => {
    const { prepareDatabase } = await import('./prepare-database.ts')
    await prepareDatabase(url)
    await defineEmptying(url)
  }
  return createDatabaseFromTemplate(prepare, { key: 'the tables of a hub' })
}
