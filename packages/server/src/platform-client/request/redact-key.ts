import { redactText } from '../../domain/redact-keys.ts'
import { type FieldErrors, HubError } from '../../errors.ts'

/** Takes the source key out of an error's words: what a platform answers may quote the key that it was sent. */
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

/** Its cause does not come along: that quotes what the words quoted, and gets into the log. */
function withoutKey(error: HubError, key: string): HubError {
  const words = redactText(error.message, [key])
  const errors = error.errors && redactErrors(error.errors, key)
  const isClean = words === error.message && JSON.stringify(errors) === JSON.stringify(error.errors)
  if (isClean) return error
  const { code, retryAfterSeconds, concernsPlatform } = error
  return HubError.withMessage(code, words, { errors, retryAfterSeconds, concernsPlatform })
}

function redactErrors(errors: FieldErrors, key: string): FieldErrors {
  const clean = Object.entries(errors).map(([member, faults]) => [
    redactText(member, [key]),
    faults.map((fault) => redactText(fault, [key])),
  ])
  return Object.fromEntries(clean)
}

/** The beginning of what a platform says, without the key that it was sent: of one that is cut off the rest would stay. */
export function quoteRedacted(words: string, key: string, length: number): string {
  return redactText(words, [key]).slice(0, length)
}
