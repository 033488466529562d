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

/** Without a window, Chromium takes two thirds of the processor time. */
const HEADLESS = ['chromium-headless-shell']
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * The program in TEST_CHROMIUM, otherwise an installed headless Chromium, otherwise that of the package from the npm
 * registry, otherwise any installed Chromium. `TEST_CHROMIUM=package` requires the package.
 * @throws Error that says what to install.
 */
export async function resolveChromium(): Promise<BrowserProgram> {
  const { PATH = '', TEST_CHROMIUM: required } = process.env
  if (required && required !== 'package') return { path: required, env: process.env }
  const headless = required ? null : findInstalled(PATH, HEADLESS)
  if (headless !== null) return { path: headless, env: process.env }
  try {
    const folder = await fetchProgram('chromium')
    const libraries = join(folder, 'al2023/lib')
    return { path: join(folder, 'chromium'), env: { ...process.env, LD_LIBRARY_PATH: libraries } }
  } catch (error) {
    const path = required ? null : findInstalled(PATH, NAMES, APPLICATIONS)
    if (path === null) throw error
    return { path, env: process.env }
  }
}

/** The first program that runs: on some systems `chromium` only prints how to install it. */
export function findInstalled(
  path: string,
  names: readonly string[] = NAMES,
  others: readonly string[] = [],
): string | null {
  const inPath = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  const programs = [...inPath, ...others].filter((program) => existsSync(program))
  return programs.find((program) => spawnSync(program, ['--version']).status === 0) ?? null
}
