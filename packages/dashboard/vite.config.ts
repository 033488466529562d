import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const SMALLEST_BYTES = 1024

/** Puts a compressed copy beside each file, so that the hub compresses nothing while it serves. */
function compressAhead(): Plugin {
  return {
    name: 'compress-ahead',
    closeBundle() {
      const folder = fileURLToPath(new URL('./dist/assets/', import.meta.url))
      for (const name of readdirSync(folder)) {
        const content = readFileSync(folder + name)
        if (!/\.(js|css|svg|txt)$/.test(name) || content.length < SMALLEST_BYTES) continue
        writeFileSync(`${folder}${name}.gz`, gzipSync(content, { level: 9 }))
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
        writeFileSync(`${folder}${name}.br`, brotliCompressSync(content, { params }))
      }
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
    chunkSizeWarningLimit: 700,
    license: { fileName: 'assets/licenses.txt' },
  },
})
