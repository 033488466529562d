/** The push by hand: the one source of the command in the page, the README and the integration guide. */
import { HUB_KEY_HEADER, RECEIVER_PATH } from './constants.ts'

export type PushCommand = {
  /** Where platforms reach the hub: `https://hub.example.org`. */
  hubUrl: string
  tunnelHeader: string
  /** Null if it is not known: then the shell takes it from the variable `HUB_API_KEY`. */
  hubApiKey: string | null
  /** The record, or `@` and the name of a file with it. */
  data: object | `@${string}`
}

/** A shell command that pushes a new record. */
export function pushCommand({ hubUrl, tunnelHeader, hubApiKey, data }: PushCommand): string {
  const key = hubApiKey === null ? `"${HUB_KEY_HEADER}: $HUB_API_KEY"` : null
  return [
    `curl -X POST ${quote(`${hubUrl}${RECEIVER_PATH}`)}`,
    `-H 'Accept: application/json'`,
    `-H 'Content-Type: application/json'`,
    `-H ${key ?? quote(`${HUB_KEY_HEADER}: ${hubApiKey}`)}`,
    `-H ${quote(`${tunnelHeader}: true`)}`,
    `-d ${quote(typeof data === 'string' ? data : JSON.stringify(data, null, 2))}`,
  ].join(' \\\n  ')
}

/** As one word of a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
