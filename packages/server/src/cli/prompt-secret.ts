import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { SettingError } from '../config/config.ts'
import { readSourceKeyVariable, SOURCE_KEY_VARIABLE } from '../config/environment.ts'

/**
 * Reads the first line of standard input without an echo, so that a secret does not appear in the history of the shell.
 * @param showPrompt called if standard input is a terminal
 */
export async function promptSecret(showPrompt: () => void): Promise<string> {
  const { stdin } = process
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true })
  if (stdin.isTTY) showPrompt()
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

/**
 * The source API key of a platform, from its environment variable or from standard input.
 * @throws SettingError if there is none.
 */
export async function readSourceKey(printError: (line: string) => void): Promise<string> {
  const showPrompt = () => printError('Source API key of the platform (not shown):')
  const key = readSourceKeyVariable() ?? (await promptSecret(showPrompt)).trim()
  if (key !== '') return key
  throw new SettingError(
    `check-platform: the source API key is missing. Pass it by --key, ${SOURCE_KEY_VARIABLE} or standard input.`,
  )
}
