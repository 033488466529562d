#!/usr/bin/env node
import { explainStartError } from './app.ts'
import { parseArguments } from './cli/arguments.ts'
import { createToken } from './cli/create-token.ts'
import { demo } from './cli/demo.ts'
import { helpText } from './cli/help.ts'
import { start } from './cli/start.ts'
import { VERSION } from './cli/version.ts'
import { readConfig, readSurroundings, SettingError } from './config.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

async function main(args: string[]): Promise<number> {
  const { command, settings, options, help, version } = parseArguments(args)
  if (version) print(VERSION)
  else if (help || command === '' || command === 'help') print(helpText())
  else {
    const { config, unknown } = readConfig({ flags: settings, ...readSurroundings() })
    for (const name of unknown) complain(`${name} is not a setting of this version; see --help.`)
    if (command === 'start') await start(config, print)
    else if (command === 'demo') await demo(config, print)
    else if (command === 'token create') await createToken(config, options, print)
    else throw new SettingError(`There is no command "${command}"; see recordhub --help.`)
  }
  return 0
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    complain(explainStartError(error))
    process.exit(error instanceof SettingError ? 2 : 1)
  },
)
