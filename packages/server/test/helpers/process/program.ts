/**
 * Bundles the hub's program into a few files for the process tests of one run, because loading 500 source files and
 * their packages doubles the processor time of a start. The deep tier starts the source files.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

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
      plugins: [KEEP_URLS],
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

/** The URL of a module, and the path of the file of a thread or process if it is located relative to that URL. */
const URL_OF_MODULE = /(?:new URL\('(\.[\w./-]+)\.ts', )?import\.meta\.url/g

/**
 * The hub's files locate documents relative to their own URLs, which stay. The threads and processes that they locate in this way
 * become part of the bundle.
 */
const KEEP_URLS: Plugin = {
  name: 'keep-urls',
  transform(code, id) {
    if (!id.startsWith(PACKAGES)) return null
    const url = JSON.stringify(pathToFileURL(id).href)
    return code.replaceAll(URL_OF_MODULE, (_, path?: string) => {
      if (path === undefined) return url
      const fileName = `${basename(path)}.mjs`
      this.emitFile({ type: 'chunk', id: join(dirname(id), `${path}.ts`), fileName })
      return `new URL('./${fileName}', import.meta.url`
    })
  },
}
