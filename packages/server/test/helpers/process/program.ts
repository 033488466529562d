/**
 * Bundles the hub's program into a few files for the process tests of one run, because loading 500 source files and
 * their packages doubles the processor time of a start. The deep tier starts the source files.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const SOURCE = fileURLToPath(new URL('../../../src/', import.meta.url))

/** The files that run in threads and processes of the hub, which their callers locate with `new URL`. */
const LOCATED = [
  ...['read-worker', 'search-worker', 'checkpoint-worker', 'backup-worker'].map(
    (name) => `storage/sqlite/${name}`,
  ),
  'cli/demo/sample-platform',
]

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
      input: ['main', ...LOCATED].map((name) => `${SOURCE}${name}.ts`),
      platform: 'node',
      external: NOT_BUNDLED,
      transform: { target: 'esnext' },
      plugins: [{ name: 'keep-urls', transform: keepUrl }],
    })
    // Node.js would compile files that end with .js twice, to find out whether they are modules.
    const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
    await bundle.write({ dir: folder, format: 'esm', ...names })
    await bundle.close()
    return { path: join(folder, 'main.mjs'), remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The hub's files locate documents relative to their own URLs, and threads relative to that of the bundle. */
function keepUrl(code: string, id: string): string | null {
  if (!id.startsWith(PACKAGES)) return null
  const url = JSON.stringify(pathToFileURL(id).href)
  return code.replaceAll(
    /(new URL\('\.[\w./-]*\/([\w-]+)\.ts', )?import\.meta\.url/g,
    (_, located, name) => (located ? `new URL('./${name}.mjs', import.meta.url` : url),
  )
}
