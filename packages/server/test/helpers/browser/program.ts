/** Finds the Chromium that tests use. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchProgram } from '../../programs/fetch.ts'

export type BrowserProgram = {
  path: string
  /** The environment of its process. */
  env: NodeJS.ProcessEnv
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * The program in TEST_CHROMIUM, otherwise the installed one, otherwise the package from the npm registry.
 * `TEST_CHROMIUM=package` requires the package.
 */
export async function resolveChromium(): Promise<BrowserProgram> {
  const { PATH = '', TEST_CHROMIUM: required } = process.env
  const path = required ? (required === 'package' ? null : required) : findInstalled(PATH)
  if (path !== null) return { path, env: process.env }
  const folder = await fetchProgram('chromium')
  const libraries = join(folder, 'al2023/lib')
  return { path: join(folder, 'chromium'), env: { ...process.env, LD_LIBRARY_PATH: libraries } }
}

/** The first program that runs: on some systems `chromium` only prints how to install it. */
export function findInstalled(path: string): string | null {
  const inPath = path.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const programs = [...inPath, ...APPLICATIONS].filter((program) => existsSync(program))
  return programs.find((program) => spawnSync(program, ['--version']).status === 0) ?? null
}
