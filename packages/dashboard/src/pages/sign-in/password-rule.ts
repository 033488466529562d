import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol/constants'

/** The hint for a new password. */
export const PASSWORD_ADVICE = `At least ${MIN_PASSWORD_LENGTH} characters; 15 or more are recommended. Several unrelated words are easy to remember.`

/** Validates the length of a new password. The hub also rejects common passwords. */
export function passwordError(password: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD_LENGTH)
    return `Use at least ${MIN_PASSWORD_LENGTH} characters`
  if (password.length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters`
  return null
}
