import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  build: {
    target: 'node20',
    minify: false,
    lib: {
      entry: ['index', 'node', 'fastify', 'hono', 'file-outbox'].map((name) => `src/${name}.ts`),
      formats: ['es'],
    },
    rolldownOptions: { external: /^node:/ },
  },
})
