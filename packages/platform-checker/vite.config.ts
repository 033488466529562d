import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    target: 'node22',
    minify: true,
    ssr: '../server/src/cli/check-platform-program.ts',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      external: /^node:/,
      // Omits modules of the hub that the program does not use, such as its storage.
      treeshake: { moduleSideEffects: (id) => id.includes('/node_modules/') },
      // The program reads its version from `../../package.json`, as its source does.
      output: { entryFileNames: 'lib/program/main.js', codeSplitting: false },
    },
  },
})
