import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { SettingsFault } from '../platform/load-platform.ts'
import { readEnvironment } from '../settings/environment.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

/** @throws SettingsFault with a line for each fault. */
export function openSettings(config: string): Settings {
  const path = resolve(config)
  const folder = dirname(path)
  const file = { name: relative(process.cwd(), path) || config, folder }
  const read = readSettings(readText(path), file, readEnvironment(folder))
  if (read.outcome === 'faulty') throw new SettingsFault(read.faults.join('\n'))
  return read.settings
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (reason === 'ENOENT') {
      throw new SettingsFault(`There is no ${path}; recordhub-platform init writes one.`)
    }
    throw new SettingsFault(`${path} cannot be read: ${reason}.`)
  }
}
