/** The command line of `npm run release`. */
import { parseArgs } from 'node:util'

export type ReleaseOptions = {
  help: boolean
  /** The folder for the files of the release. */
  out: string
  /** Whether files that are not committed may be part of the release. */
  allowDirty: boolean
  /** Whether to build the executable, which fetches a tool from the registry. */
  executable: boolean
}

export const HELP = `Builds the packages of a release.

Usage: npm run release -- --out <folder> [options]

  --out <folder>     The folder for the files. Files of the same names are replaced.
  --allow-dirty      Build even if the repository has changes that are not committed.
  --no-executable    Do not build the executable, which needs postject from the npm registry.
`

/** @throws Error whose message says what is wrong. */
export function parseOptions(args: string[]): ReleaseOptions {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string' },
      'allow-dirty': { type: 'boolean' },
      'no-executable': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (!values.out && !values.help) throw new Error('--out <folder> is missing; see --help.')
  return {
    help: values.help === true,
    out: values.out ?? '',
    allowDirty: values['allow-dirty'] === true,
    executable: values['no-executable'] !== true,
  }
}
