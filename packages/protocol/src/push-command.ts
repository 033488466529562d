/** The curl commands of pushes, as shown in the page, the README and the integration guide. */
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

const KEY_VARIABLE = `-H "${HUB_KEY_HEADER}: $HUB_API_KEY"`

/** A shell command that pushes a new record. */
export function pushCommand({ hubUrl, tunnelHeader, hubApiKey, data }: PushCommand): string {
  return [
    `curl -X POST ${quote(`${hubUrl}${RECEIVER_PATH}`)}`,
    `-H 'Accept: application/json'`,
    `-H 'Content-Type: application/json'`,
    hubApiKey === null ? KEY_VARIABLE : `-H ${quote(`${HUB_KEY_HEADER}: ${hubApiKey}`)}`,
    `-H ${quote(`${tunnelHeader}: true`)}`,
    `-d ${quote(typeof data === 'string' ? data : JSON.stringify(data, null, 2))}`,
  ].join(' \\\n  ')
}

/** The headers of a logged request that its command repeats: those that the receiver reads. */
const REPEATED_HEADERS = ['accept', 'content-type']

/**
 * A shell command that sends a logged request again. The variable `HUB_API_KEY` takes the place of its key.
 * @param request.headers in lower case; no key is read from them.
 */
export function requestCommand({
  method,
  url,
  headers,
  body,
}: {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | null
}): string {
  const repeated = REPEATED_HEADERS.filter((name) => headers[name] !== undefined)
  return [
    `curl -X ${quote(method)} ${quote(url)}`,
    ...repeated.map((name) => `-H ${quote(`${name}: ${headers[name]}`)}`),
    ...(HUB_KEY_HEADER.toLowerCase() in headers ? [KEY_VARIABLE] : []),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ')
}

/** Quotes a text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
