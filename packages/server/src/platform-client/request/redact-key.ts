import { redactText } from '../../domain/platform/redact-keys.ts'
import { type FieldErrors, HubError } from '../../errors.ts'

/** Removes the source key from the message of an error: the response of a platform may quote the key of the request. */
export async function withRedactedKey<Result>(
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HubError ? withoutKey(error, key) : error
  }
}

/** Without the cause, which quotes the same text and would be logged. */
function withoutKey(error: HubError, key: string): HubError {
  const message = redactText(error.message, [key])
  const errors = error.errors && redactErrors(error.errors, key)
  const isClean =
    message === error.message && JSON.stringify(errors) === JSON.stringify(error.errors)
  if (isClean) return error
  const { code, retryAfterSeconds, concernsPlatform } = error
  return HubError.withMessage(code, message, { errors, retryAfterSeconds, concernsPlatform })
}

function redactErrors(errors: FieldErrors, key: string): FieldErrors {
  const clean = Object.entries(errors).map(([member, messages]) => [
    redactText(member, [key]),
    messages.map((message) => redactText(message, [key])),
  ])
  return Object.fromEntries(clean)
}

/** Quotes the beginning of a text from a platform. The key is removed before the text is cut, so that no part of it remains. */
export function quoteRedacted(text: string, key: string, length: number): string {
  return redactText(text, [key]).slice(0, length)
}
