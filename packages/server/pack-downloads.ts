/** The build of the server: packs what the hub serves at `/downloads`. The other packages are built before. */
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packFolder } from '../../release/npm.ts'

const FOLDER = fileURLToPath(new URL('./dist/downloads/', import.meta.url))
const FOLDERS = ['platform-kit', 'platform-runner', 'platform-checker/dist']

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
for (const folder of FOLDERS) {
  packFolder(fileURLToPath(new URL(`../${folder}/`, import.meta.url)), FOLDER)
}
