import { parseArgs } from 'node:util'

export type Arguments = {
  command: 'serve' | 'init' | 'check'
  config: string
  port: number | null
  /** Of `init`: an address of a database, or a folder. */
  from: string | null
  help: boolean
  version: boolean
}

/** The person at the keyboard has mistyped. */
export class UsageFault extends Error {}

const COMMANDS = ['serve', 'init', 'check'] as const

/** @throws UsageFault */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const word = positionals[0] ?? 'serve'
  const command = COMMANDS.find((one) => one === word)
  if (!command || positionals.length > 1) {
    throw new UsageFault(
      `There is no command "${positionals.join(' ')}"; see recordhub-platform --help.`,
    )
  }
  const port = values.port === undefined ? null : Number(values.port)
  if (port !== null && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageFault('--port has to be a number from 0 to 65535.')
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
    throw new UsageFault(message.replaceAll(/\s+/g, ' '))
  }
}

export const HELP = `recordhub-platform makes a database or a folder of files a platform of a Recordhub.

Usage: recordhub-platform [command] [flags]

Commands:
  serve     Answer the hub, and push what changes where the file says so. The default.
  init      Look at a database or a folder and write a first platform.yaml, and a .env with a new key.
            --from <address or folder>: postgres://…, mysql://…, mariadb://…, sqlite:<file>, <folder>.
            Left out: what DATABASE_URL in the environment says, which keeps a password out of sight.
            Where platform.yaml exists, it adds modules for new tables or files and changes no other line.
  check     Say what is wrong with the file, or what it would serve.

Flags:
  -c, --config <file>   The file with the settings. Default: platform.yaml
  -p, --port <number>   Where to listen, whatever the file says.
  -h, --help            This.
  -v, --version         The version.

Settings may name variables of the environment, as in \${SOURCE_KEY}; a file .env beside the settings
counts as environment, too. Exit codes: 0 well, 1 failed, 2 wrong settings or flags.
`
