import { HubError } from '../errors.ts'

/** What is shorter is found in any text, and is no secret. */
const SHORTEST = 8

/** Takes the source key out of an error's words: what a platform answers may quote the key that it was sent. */
export async function hidingKey<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const words = hideKey(key, error.message)
    throw words === error.message ? error : HubError.withMessage(error.code, words)
  }
}

/** Takes the source key out of words, in every form that others may write it in. */
export function hideKey(key: string, words: string): string {
  if (key.length < SHORTEST) return words
  return formsOf(key).reduce((text, form) => text.replaceAll(form, '(the source API key)'), words)
}

/** As it was sent, and as others write it who quote it. */
function formsOf(key: string): string[] {
  const bytes = Buffer.from(key)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  const base64url = bytes.toString('base64url')
  return [key, encodeURIComponent(key), base64, base64url, bytes.toString('hex')]
}
