import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** The environment of the process, and below it what `.env` beside the settings says. */
export function readEnvironment(folder: string): Record<string, string | undefined> {
  const path = join(folder, '.env')
  const file = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
  return { ...file, ...process.env }
}
