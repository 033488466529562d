/** The packages as users install them, and the Node.js versions of this machine. */
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packFolder } from '../../../../../release/npm.ts'
import { buildServerPackage, SERVER_FOLDER } from '../../../../../release/packages.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

/** Packs the kit and installs the tarball. @returns the new folder of the installation, below `folder`. */
export async function installKit(folder: string): Promise<string> {
  const { stdout } = await run(
    'npm',
    [
      'pack',
      '--workspace',
      '@recordhub/platform-kit',
      '--ignore-scripts',
      '--json',
      '--pack-destination',
      folder,
    ],
    { cwd: ROOT },
  )
  const packed: { filename: string }[] = Object.values(JSON.parse(stdout))
  return installTarball(folder, packed[0]?.filename ?? '')
}

/** Builds, packs and installs the hub without a registry. @returns the new folder of the installation, below `folder`. */
export async function installHub(folder: string): Promise<string> {
  buildServerPackage()
  return installTarball(folder, packFolder(join(ROOT, SERVER_FOLDER), folder))
}

async function installTarball(folder: string, name: string): Promise<string> {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }))
  const options = ['--omit=dev', '--offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, join(folder, name)], { cwd: project })
  return project
}

/** The `node` programs of this machine: the running one, then others in PATH, one per version. */
export async function findNodePrograms(): Promise<{ program: string; version: string }[]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const programs = folders.map((folder) => join(folder, 'node')).filter(isProgram)
  const found = new Map([[process.version, process.execPath]])
  for (const program of programs) {
    const { stdout } = await run(program, ['--version'])
    if (!found.has(stdout.trim())) found.set(stdout.trim(), program)
  }
  return [...found].map(([version, program]) => ({ version, program }))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
