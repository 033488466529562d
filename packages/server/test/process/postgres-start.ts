import type { TestContext } from 'node:test'
import { startPostgres } from '../helpers/postgres/server.ts'
import { createPostgresSandbox } from '../helpers/process/engine.ts'

export const SETTINGS = { PORT: '0', HUB_PULL_SCHEDULE: 'off', HUB_LOG_LEVEL: 'warn' }

export async function createStoppedPostgres(t: TestContext) {
  const server = await startPostgres()
  t.after(() => server.remove())
  await server.stop()
  return { server, ...createPostgresSandbox(t, server.url) }
}
