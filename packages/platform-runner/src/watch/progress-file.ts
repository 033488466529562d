/** The watermarks of all modules, in a file that is replaced atomically. */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The watermark by record type; null if the module had no rows. */
type Progress = Record<string, string | null>

export type ProgressFile = { progress: Progress; save: () => Promise<void> }

/** @throws Error if the file cannot be read or is invalid. */
export async function openProgressFile(path: string): Promise<ProgressFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const progress = await read(path)
  return {
    progress,
    async save() {
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(progress, null, 2)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    },
  }
}

async function read(path: string): Promise<Progress> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}'
    throw error
  })
  const value = parse(text)
  if (value === null) {
    throw new Error(`${path} is damaged. Delete it to push only the changes from now on.`)
  }
  return value
}

function parse(text: string): Progress | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const entries = Object.entries(value)
    return entries.every(([, changeTime]) => changeTime === null || typeof changeTime === 'string')
      ? Object.fromEntries(entries)
      : null
  } catch {
    return null
  }
}
