import { chmodSync, cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionHeaders } from './operator.ts'

/**
 * Copies the template of the run (`data-template.ts`) into a sandbox, if there is one and the sandbox has no data folder.
 * @returns the session of its operator; null if nothing was copied.
 */
export function provideData(folder: string): SessionHeaders | null {
  const { TEST_HUB_DATA: template, TEST_HUB_SESSION: session } = process.env
  const data = join(folder, 'data')
  if (!template || !session || existsSync(data)) return null
  cpSync(template, data, { recursive: true })
  chmodSync(data, 0o700)
  return JSON.parse(session)
}
