import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * The first line of standard input, which a terminal does not show: a secret needs not stand in a shell's history.
 * @param ask what a person at a terminal is told.
 */
export async function promptSecret(ask: () => void): Promise<string> {
  const { stdin } = process
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true })
  if (stdin.isTTY) ask()
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}
