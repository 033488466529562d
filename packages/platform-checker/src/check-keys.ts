import { randomBytes } from 'node:crypto'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { attempt, type CheckContext, withShortTimeout } from './check-context.ts'
import type { Findings } from './findings.ts'
import type { HubRules, PlatformResponse } from './hub.ts'
import type { Section } from './section.ts'

/** Enough of a response to find protected data in it. */
const MAX_BYTES = 64 * 1024
/** Shorter keys occur in other texts by chance. */
const MIN_KEY_LENGTH = 6

/** Checks that an endpoint responds only to requests with the right key (specification 5). */
export async function checkKeys(
  context: CheckContext,
  section: Section,
  path: string,
): Promise<void> {
  const { client, target, rules } = context
  const { source_api_key: key } = target
  const attempts = [
    { description: 'without a key', key: null },
    { description: 'with a wrong key', key: `wrong-${randomBytes(16).toString('hex')}` },
    ...(swapCase(key) === key
      ? []
      : [
          {
            description: 'with the key in swapped upper and lower case',
            key: swapCase(key),
          },
        ]),
  ]
  let isProtected = true
  for (const wrong of attempts) {
    const response = await attempt(context, section, () =>
      client.send(target, path, {
        ...{ method: 'GET', key: wrong.key, headers: {}, maxBytes: MAX_BYTES },
        signal: withShortTimeout(context.signal),
      }),
    )
    if (!response) return
    const isRejected = validateRejection(
      response,
      { ...wrong, rightKey: key, rules },
      section.findings,
    )
    isProtected &&= isRejected
    // If the endpoint accepts any key, a further wrong key shows nothing new.
    if (!isProtected && wrong.key !== null) break
  }
  if (isProtected) {
    section.addPassed('Without a key and with a wrong key, the response is 401 without data.')
  }
}

/** @returns whether the response is a 401 with JSON and without protected data. */
function validateRejection(
  { status, text }: Pick<PlatformResponse, 'status' | 'text'>,
  options: { description: string; rightKey: string; rules: Pick<HubRules, 'reportsFailure'> },
  findings: Findings,
): boolean {
  const { description, rightKey, rules } = options
  const body = parse(text)
  const reportsFailure = isJsonObject(body) && rules.reportsFailure(body)
  const leaked = findProtectedData(body, text, rightKey)
  if (leaked !== null && (status !== 200 || reportsFailure)) {
    findings.add('key.leaks', { found: `${description}: ${leaked}` })
  } else if (status === 200 && !reportsFailure) {
    findings.add('key.not_checked', { found: description })
  } else if (status !== 401) {
    findings.add('key.status', { found: `${description}: HTTP ${status}` })
  } else if (body === undefined) findings.add('key.rejection_not_json', { found: description })
  return leaked === null && status === 401 && body !== undefined
}

function findProtectedData(
  body: JsonValue | undefined,
  text: string,
  rightKey: string,
): string | null {
  if (rightKey.length >= MIN_KEY_LENGTH && text.includes(rightKey)) return 'the right key'
  if (!isJsonObject(body)) return null
  if (isNonEmptyArray(body['records'])) return 'records'
  return isNonEmptyArray(body['modules']) ? 'the manifest' : null
}

function isNonEmptyArray(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}

/** Returns undefined if the text is not JSON. */
function parse(text: string): JsonValue | undefined {
  try {
    return parseLossless(text)
  } catch {
    return undefined
  }
}

/** Databases often compare case-insensitively, which makes a key easier to guess. */
function swapCase(key: string): string {
  return key.replace(/[a-z]+|[A-Z]+/g, (letters) =>
    letters === letters.toUpperCase() ? letters.toLowerCase() : letters.toUpperCase(),
  )
}
