import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { readSourceKey, SettingError, SOURCE_KEY_VARIABLE } from '../config.ts'

/**
 * A platform's key from its variable, else typed by a person, unseen, else the first line of standard input: so that
 * it need not stand in a shell's history.
 * @throws SettingError where there is none.
 */
export async function readKey(complain: (line: string) => void): Promise<string> {
  const key = readSourceKey() ?? (await ask(complain))
  if (key !== '') return key
  throw new SettingError(
    `check-platform: there is no key. Give it by --key, ${SOURCE_KEY_VARIABLE} or standard input.`,
  )
}

async function ask(complain: (line: string) => void): Promise<string> {
  const { stdin } = process
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // What is typed is not shown.
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true })
  if (stdin.isTTY) complain('Source API key of the platform (it is not shown):')
  try {
    for await (const line of lines) return line.trim()
    return ''
  } finally {
    lines.close()
  }
}
