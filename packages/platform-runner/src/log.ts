import type { RedactSecrets } from './settings/secrets.ts'

export type Log = (line: string) => void

/** Creates a log that writes to standard error, with the time and without secrets. */
export function createLog(redact: RedactSecrets): Log {
  return (line) => {
    const text = redact(line).replaceAll(/[\p{Cc}]+/gu, ' ')
    process.stderr.write(`${new Date().toISOString()} ${text}\n`)
  }
}
