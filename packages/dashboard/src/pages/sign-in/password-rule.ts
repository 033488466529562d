import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol/constants'

/** How a new password is asked for. */
export const PASSWORD_ADVICE = `${MIN_PASSWORD_LENGTH} characters or more of any kind; 15 are better. A few words that have nothing to do with each other are easy to keep in mind.`

/** What is wrong with a new password that the page can tell; null where nothing is. The hub also knows the common ones. */
export function passwordFault(password: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD_LENGTH)
    return `Use ${MIN_PASSWORD_LENGTH} characters or more`
  if (password.length > MAX_PASSWORD_LENGTH) return `Use ${MAX_PASSWORD_LENGTH} characters or fewer`
  return null
}
