import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const SMALLEST_BYTES = 1024

/** Puts a compressed copy beside each file, so that the hub compresses nothing while it serves. */
function compressAhead(): Plugin {
  return {
    name: 'compress-ahead',
    async closeBundle() {
      const folder = fileURLToPath(new URL('./dist/assets/', import.meta.url))
      const compress = async (name: string) => {
        const content = readFileSync(folder + name)
        if (!/\.(js|css|svg|txt)$/.test(name) || content.length < SMALLEST_BYTES) return
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
        const [gz, br] = await Promise.all([
          promisify(gzip)(content, { level: 9 }),
          promisify(brotliCompress)(content, { params }),
        ])
        writeFileSync(`${folder}${name}.gz`, gz)
        writeFileSync(`${folder}${name}.br`, br)
      }
      // Concurrently, since the brotli compression takes as long as the rest of the build.
      await Promise.all(readdirSync(folder).map(compress))
    },
  }
}

// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  plugins: [react(), compressAhead()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    // A page whose styles could not be fetched would be shown without them at the next try.
    cssCodeSplit: false,
    // Browsers of this target preload modules themselves, or load them a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['index.html', 'sign-in.html'] },
    chunkSizeWarningLimit: 700,
    license: { fileName: 'assets/licenses.txt' },
  },
})
