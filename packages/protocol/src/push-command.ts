/** The curl command of a push, as shown in the page, the README and the integration guide. */
import { HUB_KEY_HEADER, RECEIVER_PATH } from './constants.ts'

export type PushCommand = {
  /** The address of the hub: `https://hub.example.org`. */
  hubUrl: string
  tunnelHeader: string
  /** Null if it is unknown: the command then uses the variable `HUB_API_KEY`. */
  hubApiKey: string | null
  /** The record, or `@` and the name of a file that contains it. */
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

/** Quotes a text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
