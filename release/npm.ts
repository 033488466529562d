/** Runs npm for one package. */
import { execFileSync } from 'node:child_process'

/** Runs npm in a folder. @returns its standard output. */
export function runNpm(folder: string, args: readonly string[]): string {
  // The npm that runs this program may be configured to run in all packages.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_config_(workspace|json)/.test(key)),
  )
  return execFileSync('npm', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/**
 * Packs the folder of a package that is already built. Equal files result in equal packages, since npm writes fixed
 * times into them.
 * @returns the name of the written file.
 */
export function packFolder(folder: string, destination: string): string {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination]
  return runNpm(folder, args).trim()
}
