import type { HideSecrets } from './settings/secrets.ts'

/** Writes a line for people. */
export type Log = (line: string) => void

/** Lines on the standard error, with their time and without secrets. */
export function createLog(hide: HideSecrets): Log {
  return (line) => {
    const text = hide(line).replaceAll(/[\p{Cc}]+/gu, ' ')
    process.stderr.write(`${new Date().toISOString()} ${text}\n`)
  }
}
