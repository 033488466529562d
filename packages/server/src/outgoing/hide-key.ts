import { redactText } from '../domain/redact-keys.ts'
import { HubError } from '../errors.ts'

/** Takes the source key out of an error's words: what a platform answers may quote the key that it was sent. */
export async function hidingKey<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const words = redactText(error.message, [key])
    throw words === error.message ? error : HubError.withMessage(error.code, words)
  }
}

/** The beginning of what a platform says, without the key that it was sent: of one that is cut off the rest would stay. */
export function quote(words: string, key: string, length: number): string {
  return redactText(words, [key]).slice(0, length)
}
