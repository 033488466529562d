import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type EngineSandbox, LOCK_MS } from '../helpers/process/engine.ts'

export const AT = '2026-11-21T07:30:00.000Z'

/** Runs a statement that writes, beside a running hub. */
export async function execute(
  { sandbox, queryDatabase }: EngineSandbox,
  sql: string,
): Promise<void> {
  const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
  if (!existsSync(path)) return void (await queryDatabase(sql))
  using database = new DatabaseSync(path, { timeout: LOCK_MS })
  database.exec(sql)
}

/** Adds an alert with its event, as a hub does. The hub does not evaluate alerts within the time of a test. */
export async function raiseAlert(kit: EngineSandbox, id: number): Promise<void> {
  await execute(
    kit,
    `INSERT INTO alerts (alert_id, kind, subject, message, raised_at)
    VALUES (${id}, 'module_failing', 's${id}', 'About ${id}: \u001b[31m', '${AT}')`,
  )
  await execute(kit, `INSERT INTO alert_events VALUES (${id}, ${id}, 'raised', '${AT}')`)
  await execute(kit, `UPDATE alert_feed SET last_event_id = ${id}`)
}
