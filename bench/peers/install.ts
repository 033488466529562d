/** Installs other products from the npm registry, without their install scripts, which download from elsewhere. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './program.ts'

const INSTALL_TIMEOUT_MS = 1_200_000

let root: string | null = null

/** Installs into this folder, which is not deleted; uses what an earlier run has installed there. */
export function keepPeersIn(folder: string): void {
  root = folder
}

/** @returns the folder that contains the `node_modules` of the package. */
export async function installPeer(name: string, version: string): Promise<string> {
  const folder = join(rootFolder(), `${name}-${version}`)
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return folder
  process.stdout.write(`  installing ${name} ${version}, which takes some minutes\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await runProgram('npm', ['install', ...options, `${name}@${version}`], {
    cwd: folder,
    env: {},
    timeoutMs: INSTALL_TIMEOUT_MS,
  })
  writeFileSync(complete, '')
  return folder
}

function rootFolder(): string {
  if (root !== null) return root
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-peers-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  root = folder
  return folder
}
