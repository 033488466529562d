import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol/constants'

/** What is wrong with a new password, as the hub judges; null where nothing is. */
export function passwordFault(password: string): string | null {
  if (password.length < MIN_PASSWORD_LENGTH) return `Use ${MIN_PASSWORD_LENGTH} characters or more`
  if (password.length > MAX_PASSWORD_LENGTH) return `Use ${MAX_PASSWORD_LENGTH} characters or fewer`
  return null
}
