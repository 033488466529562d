/** Where tests get their Chromium from. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

export type BrowserProgram = {
  path: string
  /** A folder of libraries that it needs besides the machine's; empty for none. */
  libraries: string
  remove: () => void
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/**
 * The one that `wanted` names, else the machine's, else the one of the npm package `@sparticuz/chromium`,
 * unpacked until it is removed (`package` insists on it).
 */
export async function provideChromium(wanted: string): Promise<BrowserProgram> {
  const path = wanted === '' ? findOnMachine() : wanted === 'package' ? null : wanted
  return path === null ? unpackChromium() : { path, libraries: '', remove: () => undefined }
}

function findOnMachine(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const file = join(folder, name)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {
        // Not this one.
      }
    }
  }
  return null
}

async function unpackChromium(): Promise<BrowserProgram> {
  const { default: chromium, inflate } = await import('@sparticuz/chromium')
  const packed = join(
    dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
    '../bin',
  )
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-chromium-'))
  const before = process.env['TMPDIR']
  // It unpacks into the folder for temporary files, and takes what it finds there for its own.
  process.env['TMPDIR'] = folder
  try {
    const path = await chromium.executablePath()
    const libraries = join(await inflate(join(packed, 'al2023.tar.br')), 'lib')
    return { path, libraries, remove: () => rmSync(folder, { recursive: true, force: true }) }
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
