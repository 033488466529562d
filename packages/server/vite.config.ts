import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/**
 * What the sources locate relative to their own files, and where it is in the package: all code is in `dist/`. The key
 * is the text in the source.
 */
const LOCATIONS = {
  "new URL('./read-worker.ts', import.meta.url)": "new URL('./read-worker.js', import.meta.url)",
  "new URL('./list-worker.ts', import.meta.url)": "new URL('./list-worker.js', import.meta.url)",
  "new URL('./search-worker.ts', import.meta.url)":
    "new URL('./search-worker.js', import.meta.url)",
  "new URL('./text-worker.ts', import.meta.url)": "new URL('./text-worker.js', import.meta.url)",
  "new URL('./checkpoint-worker.ts', import.meta.url)":
    "new URL('./checkpoint-worker.js', import.meta.url)",
  "new URL('./backup-worker.ts', import.meta.url)":
    "new URL('./backup-worker.js', import.meta.url)",
  "new URL('./demo/sample-platform.ts', import.meta.url)":
    "new URL('./sample-platform.js', import.meta.url)",
  "new URL('../../package.json', import.meta.url)": "new URL('../package.json', import.meta.url)",
  "new URL('../../../../../docs/platform-guide/', import.meta.url)":
    "new URL('../platform-guide/', import.meta.url)",
  "new URL('../../../dist/downloads/', import.meta.url)":
    "new URL('../downloads/', import.meta.url)",
  "import.meta.resolve('@recordhub/dashboard/dist/index.html')":
    "import.meta.resolve('../page/index.html')",
}

const PACKAGES = fileURLToPath(new URL('../', import.meta.url))

/** Replaces the locations. A location that is not in the table, or that names different files, fails the build. */
function relocateFiles(): Plugin {
  /** The folder of the source that uses each location. */
  const found = new Map<string, string>()
  return {
    name: 'relocate-files',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(PACKAGES) || id.includes('/node_modules/')) return null
      let relocated = code
      for (const [source, location] of Object.entries(LOCATIONS)) {
        if (!relocated.includes(source)) continue
        const folder = found.get(source) ?? dirname(id)
        if (folder !== dirname(id)) this.error(`${id}: ${source} is another file in ${folder}`)
        found.set(source, folder)
        relocated = relocated.replace(source, location)
      }
      for (const [use] of relocated.matchAll(/^.*\bimport\.meta\b.*$/gm)) {
        const isKnown = Object.values(LOCATIONS).some((location) => use.includes(location))
        if (!isKnown)
          this.error(`${id}: add the file to LOCATIONS in vite.config.ts: ${use.trim()}`)
      }
      return relocated
    },
    buildEnd() {
      const unused = Object.keys(LOCATIONS).filter((source) => !found.has(source))
      if (unused.length > 0) this.error(`No source uses ${unused.join(', ')}`)
    },
  }
}

const SOURCES = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  'read-worker': 'src/storage/sqlite/read-worker.ts',
  'list-worker': 'src/storage/postgres/list-worker.ts',
  'search-worker': 'src/storage/sqlite/search-worker.ts',
  'text-worker': 'src/storage/postgres/text-worker.ts',
  'checkpoint-worker': 'src/storage/sqlite/checkpoint-worker.ts',
  'backup-worker': 'src/storage/sqlite/backup-worker.ts',
  'sample-platform': 'src/cli/demo/sample-platform.ts',
}

// The package has no dependencies: everything that the hub uses is bundled.
// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  ssr: { noExternal: true },
  plugins: [relocateFiles()],
  build: {
    target: 'node22',
    minify: false,
    ssr: true,
    outDir: 'dist/package/dist',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      input: SOURCES,
      // The last two are optional and not installed: a driver in C, and sockets of an edge runtime.
      external: [/^node:/, 'pg-native', 'cloudflare:sockets'],
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
