import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite asks for it.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    target: 'node22',
    minify: true,
    ssr: '../server/src/cli/check-platform-program.ts',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      external: /^node:/,
      // Modules of the hub of which nothing is used, such as its storage, are left out.
      treeshake: { moduleSideEffects: (id) => id.includes('/node_modules/') },
      // As deep as its source, which finds its version in the package.json of its package.
      output: { entryFileNames: 'program/main.js', codeSplitting: false },
    },
  },
})
