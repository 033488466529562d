import { parseArgs } from 'node:util'

type Arguments = {
  command: 'serve' | 'init' | 'check'
  config: string
  port: number | null
  /** For `init`: the address of a database, or a folder. */
  from: string | null
  help: boolean
  version: boolean
}

export class UsageError extends Error {}

const COMMANDS = ['serve', 'init', 'check'] as const

/** @throws UsageError */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const name = positionals[0] ?? 'serve'
  const command = COMMANDS.find((one) => one === name)
  if (!command || positionals.length > 1) {
    throw new UsageError(
      `Unknown command "${positionals.join(' ')}"; see recordhub-platform --help.`,
    )
  }
  const port = values.port === undefined ? null : Number(values.port)
  if (port !== null && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageError('--port must be a number from 0 to 65535.')
  }
  return {
    command,
    config: values.config ?? 'platform.yaml',
    port,
    from: values.from ?? null,
    help: values.help === true,
    version: values.version === true,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        config: { type: 'string', short: 'c' },
        port: { type: 'string', short: 'p' },
        from: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(message.replaceAll(/\s+/g, ' '))
  }
}

export const HELP = `recordhub-platform makes a database or a folder of files a platform of a Recordhub.

Usage: recordhub-platform [command] [flags]

Commands:
  serve     Serve the hub, and push changes if the file has a push section. The default.
  init      Read a database or a folder, and write a first platform.yaml and a .env with a new key.
            --from <address or folder>: postgres://…, mysql://…, mariadb://…, sqlite:<file>, <folder>.
            Default: DATABASE_URL in the environment, which keeps the password out of the command line.
            If platform.yaml exists, it adds modules for new tables or files and changes no other line.
  check     Report the issues of the file, or what it would serve.

Flags:
  -c, --config <file>   The file with the settings. Default: platform.yaml
  -p, --port <number>   The port to listen on, instead of the one in the file.
  -h, --help            Print this help.
  -v, --version         Print the version.

Settings may contain variables of the environment, such as \${SOURCE_API_KEY}; a file .env in the same folder
adds variables. Exit codes: 0 success, 1 failure, 2 invalid settings or flags.
`
