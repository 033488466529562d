import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
)
const isInstalled = (name: string) =>
  name.startsWith('node:') || Object.keys(dependencies).some((one) => name.split('/')[0] === one)

// The kit goes into the program: only what the package names has to be installed.
// biome-ignore lint/style/noDefaultExport: Vite asks for it.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    target: 'node22',
    minify: false,
    ssr: 'src/main.ts',
    rolldownOptions: { external: isInstalled },
  },
})
