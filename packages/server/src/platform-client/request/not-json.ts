/** Describes responses that are not JSON: what was sent instead, and what the platform owner has to change. */
import { HubError } from '../../errors.ts'
import { findCompression } from '../../lib/net/http.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { quoteRedacted } from './error-message.ts'

const MAX_QUOTED = 300
/** Enough of a page for the messages that PHP writes before it. */
const MAX_PAGE_BYTES = 16 * 1024

/** A message is at the start of a line, which no text in JSON is. */
const PHP_MESSAGE =
  /^(?:<b>)?(?:PHP )?(?:(?:Recoverable |Catchable )?[Ff]atal error|Parse error|Warning|Notice|Deprecated)(?:<\/b>)?: /
const TAG = /<\/?[a-z]{1,8}(?: \/)?>/g
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#039;': "'", '&amp;': '&' },
}

/** The clause about a message of PHP in a response, with its file and line; null without one. */
export function findPhpMessage(text: string): string | null {
  const message = text.split('\n').find((line) => PHP_MESSAGE.test(line))
  if (message === undefined) return null
  const plain = message
    .replace(TAG, '')
    .replace(/^PHP /, '')
    .replace(/&(?:lt|gt|quot|#039|amp);/g, (entity) => ENTITIES[entity] ?? entity)
  return `PHP wrote a message into it: "${toSingleLine(plain, MAX_QUOTED)}". Fix its cause, and set display_errors=0 so that messages go to the log`
}

/** Why a text is not JSON, and what to change. */
export function describeSyntaxError(text: string, error: SyntaxError): string {
  return findPhpMessage(text) ?? error.message
}

/**
 * Passes on a decoded body that may be JSON, whatever its Content-Type.
 * @param from `encoding`: the Content-Encoding of the response; "" without one.
 * @throws HubError `platform_not_json` for a page or a text, `platform_response_invalid` for a message of PHP and for
 *   compressed data.
 */
export async function* rejectOtherText(
  body: AsyncIterable<Uint8Array>,
  from: { path: string; key: string; encoding: string },
): AsyncGenerator<Uint8Array> {
  let isJson = false
  let other: Buffer | null = null
  for await (const bytes of body) {
    if (other) other = Buffer.concat([other, bytes])
    else if (!isJson) {
      const compression = findCompression(bytes)
      if (compression !== null) throw toCompressedError(compression, from)
      const start = Buffer.from(bytes.subarray(0, 64)).toString().replace('\uFEFF', '').trimStart()
      // JSON begins with neither.
      if (/^[<A-Z]/.test(start)) other = Buffer.from(bytes)
      else isJson = start !== ''
    }
    if (!other) yield bytes
    else if (other.length >= MAX_PAGE_BYTES) break
  }
  if (other) throw toNotJsonError(other.toString(), from)
}

function toCompressedError(
  compression: string,
  { path, encoding }: { path: string; encoding: string },
): HubError {
  const reason =
    encoding === ''
      ? `it is compressed (${compression}), but has no Content-Encoding; send Content-Encoding: ${compression}, or do not compress it`
      : `it is compressed twice: decoded as its Content-Encoding says, it still is ${compression}; compress it only once, in the program or in the proxy`
  return new HubError('platform_response_invalid', { path, reason })
}

function toNotJsonError(text: string, { path, key }: { path: string; key: string }): HubError {
  const php = findPhpMessage(text)
  if (php !== null) return new HubError('platform_response_invalid', { path, reason: php })
  const line = toSingleLine(quoteRedacted(text, key, MAX_QUOTED), MAX_QUOTED)
  const got = line.startsWith('<') ? 'an HTML page' : `the text "${line}"`
  return new HubError('platform_not_json', { got, path })
}
