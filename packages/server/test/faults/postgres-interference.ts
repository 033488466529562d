import type { TestContext } from 'node:test'
import { createHubDatabase } from '../helpers/postgres/hub-database.ts'
import { createPostgresSandbox } from '../helpers/process/engine.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'

export async function startHubsWithPusher(t: TestContext) {
  const database = await createHubDatabase()
  const { sandbox, queryDatabase } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hubs = [await sandbox.startHub(), await sandbox.startHub()] as const
  return { database, hubs, queryDatabase, ...(await registerPusher(t, hubs[0])) }
}
