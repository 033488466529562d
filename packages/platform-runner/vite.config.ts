import { defineConfig } from 'vite'

// The package has no dependencies, so that a hub can serve all of it: the kit and the database drivers are bundled.
// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    target: 'node22',
    minify: false,
    ssr: 'src/main.ts',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      // The last two are optional and not installed: a driver in C, and sockets of an edge runtime.
      external: [/^node:/, 'pg-native', 'cloudflare:sockets'],
    },
  },
})
