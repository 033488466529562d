/**
 * The build of the server: packs what the hub serves at `/downloads`. The other packages are built before. Equal sources
 * result in equal files, since npm writes fixed times into a package.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('./dist/downloads/', import.meta.url))
const FOLDERS = ['platform-kit', 'platform-runner', 'platform-checker/dist']

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', FOLDER]
for (const folder of FOLDERS) {
  // Outside the workspace, since the npm that runs this build may be configured to run in all packages.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_config_(workspace|json)/.test(key)),
  )
  execFileSync('npm', args, {
    cwd: fileURLToPath(new URL(`../${folder}/`, import.meta.url)),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
