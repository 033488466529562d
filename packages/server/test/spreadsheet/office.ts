/** Runs LibreOffice headless, with a separate profile. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readFileSync } from 'node:fs'
import { delimiter, join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Cell, readCells } from './sheet-cells.ts'

/** LibreOffice takes some seconds to start, and longer on its first run. */
const TIME_LIMIT_MS = 180_000

/**
 * UTF-8, comma-separated, quotes around texts only, stored instead of displayed numbers. A formula is written as
 * its result.
 */
const AS_CELLS = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false'

/** The path of the program; null if it is not installed. */
export function findOffice(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'soffice')
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  return null
}

/** Reads the cells of the first sheet of a file. @param importAs import filter for a text file; optional */
export async function openInOffice(
  office: string,
  file: string,
  { folder, importAs }: { folder: string; importAs?: string },
): Promise<Cell[][]> {
  const profile = join(folder, 'profile')
  const output = mkdtempSync(join(folder, 'opened-'))
  const child = spawn(
    office,
    [
      `-env:UserInstallation=${pathToFileURL(profile)}`,
      ...['--headless', '--norestore', '--nologo'],
      ...(importAs === undefined ? [] : [`--infilter=${importAs}`]),
      ...['--convert-to', AS_CELLS, '--outdir', output, file],
    ],
    // A separate process group, because the program starts another process.
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: folder },
    },
  )
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => printed.push(String(text)))
  const kill = setTimeout(() => endGroup(child.pid), TIME_LIMIT_MS)
  const [code, signal]: unknown[] = await once(child, 'close')
  clearTimeout(kill)
  try {
    return readCells(readFileSync(join(output, `${parse(file).name}.csv`), 'utf8'))
  } catch (cause) {
    const reason = `LibreOffice ended with ${signal ?? code} and printed: ${printed.join('').trim()}`
    throw new Error(`${file} could not be opened. ${reason}`, { cause })
  }
}

function endGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
