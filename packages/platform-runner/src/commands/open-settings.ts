import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText } from '@recordhub/protocol/text'
import { InvalidSettings } from '../platform/load-platform.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

/** @throws InvalidSettings with a line for each issue. */
export function openSettings(config: string): Settings {
  const path = resolve(config)
  const folder = dirname(path)
  const file = { name: relative(process.cwd(), path) || config, folder }
  const read = readSettings(readText(path), file, readEnvironment(folder))
  if (read.outcome === 'invalid') throw new InvalidSettings(read.issues.join('\n'))
  return read.settings
}

function readText(path: string): string {
  try {
    return decodeText(readFileSync(path))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (reason === 'ENOENT') {
      throw new InvalidSettings(`${path} does not exist; recordhub-platform init creates it.`)
    }
    throw new InvalidSettings(`${path} cannot be read: ${reason}.`)
  }
}

/** The variables of `.env` in the folder of the settings, overridden by the environment of the process. */
export function readEnvironment(folder: string): Record<string, string | undefined> {
  const path = join(folder, '.env')
  const file = existsSync(path) ? parseEnv(decodeText(readFileSync(path))) : {}
  return { ...file, ...process.env }
}
