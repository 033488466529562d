/** The executable: Node.js with the files of the package `recordhub`, for machines without Node.js. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from './npm.ts'
import { ROOT, SERVER_FOLDER } from './packages.ts'

/** Adds data to a program file. It is only needed here, so it is not a development dependency. */
const POSTJECT = 'postject@1.0.0-alpha.6'
/** The text in Node.js that postject replaces, from the documentation of Node.js. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const PACKAGE = join(ROOT, SERVER_FOLDER)

/** Writes the executable for this system, with the Node.js that runs this program. @returns the name of its file. */
export function buildExecutable(out: string, version: string): string {
  const name = `recordhub-${version}-${process.platform}-${process.arch}`
  const program = join(out, name)
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-executable-'))
  try {
    const blob = join(folder, 'files.blob')
    const id = join(folder, 'id')
    const config = join(folder, 'config.json')
    const files = listFiles()
    writeFileSync(id, hashFiles(files))
    writeFileSync(config, JSON.stringify(seaConfig(blob, { ...files, id })))
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' })
    copyFileSync(process.execPath, program)
    chmodSync(program, 0o755)
    const args = [program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE]
    runNpm(folder, ['exec', '--yes', '--package', POSTJECT, '--', 'postject', ...args])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return name
}

/** The files of the package, by their path in it. */
function listFiles(): Record<string, string> {
  const paths = globSync('**', { cwd: PACKAGE })
    .filter((path) => statSync(join(PACKAGE, path)).isFile())
    .toSorted()
  return Object.fromEntries(paths.map((path) => [path, join(PACKAGE, path)]))
}

/** The name of the folder that the executable unpacks the files to. */
function hashFiles(files: Record<string, string>): string {
  const hash = createHash('sha256')
  for (const [path, file] of Object.entries(files))
    hash.update(`${path}\n`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

function seaConfig(output: string, assets: Record<string, string>) {
  return {
    main: join(ROOT, 'packages/server/package/executable.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    // As in recordhub.cjs.
    execArgv: ['--max-semi-space-size=8'],
    assets,
  }
}
