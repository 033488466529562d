/**
 * Bundles the hub's program into a few files for the process tests of one run, because loading 500 source files and
 * their packages doubles the processor time of a start. The deep tier starts the source files.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const HUB_SOURCE = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const PACKAGES = fileURLToPath(new URL('../../../../', import.meta.url))
const NODE_MODULES = fileURLToPath(new URL('../../../../../node_modules/', import.meta.url))

/** pino loads its own files at runtime; pg-native is optional and not installed. */
const NOT_BUNDLED = ['pino', 'pg-native']

/** Writes the bundle to a temporary folder. @returns its file for `TEST_HUB_PROGRAM`; `remove` deletes the folder. */
export async function bundleHub(): Promise<{ path: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-program-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
    const bundle = await rolldown({
      input: HUB_SOURCE,
      platform: 'node',
      external: NOT_BUNDLED,
      transform: { target: 'esnext' },
      plugins: [{ name: 'keep-urls', transform: keepUrl }],
    })
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'main.mjs' })
    await bundle.close()
    return { path: join(folder, 'main.mjs'), remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The hub's files locate worker threads and documents relative to their own URLs. */
function keepUrl(code: string, id: string): string | null {
  if (!id.startsWith(PACKAGES)) return null
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
}
