/** The executable: Node.js with the files of the package `recordhub`, for machines without Node.js. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdtempSync,
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
    const config = join(folder, 'config.json')
    writeFileSync(config, JSON.stringify(seaConfig(blob)))
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

function seaConfig(output: string) {
  const files = globSync('**', { cwd: PACKAGE })
    .filter((path) => statSync(join(PACKAGE, path)).isFile())
    .toSorted()
  return {
    main: join(ROOT, 'packages/server/package/executable.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    // As in recordhub.cjs.
    execArgv: ['--max-semi-space-size=8'],
    assets: Object.fromEntries(files.map((path) => [path, join(PACKAGE, path)])),
  }
}
