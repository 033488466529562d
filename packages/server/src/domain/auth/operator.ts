/** Who may become an operator, and what an operator needs to be one. */
import { z } from 'zod'
import type { Role } from './caller.ts'

/** As Better Auth judges at sign-in. */
const EMAIL = z.email()

export function isEmail(text: string): boolean {
  return EMAIL.safeParse(text).success
}

/** What a provider of single sign-on says of somebody who is no operator yet. */
export type Newcomer = { email: string; emailVerified: boolean }

export type Admission = { outcome: 'admitted'; role: Role } | { outcome: 'refused' }

/**
 * Whether somebody who comes by single sign-on becomes an operator: only where the provider vouches for
 * the e-mail, and it was invited or is of a domain that is let in.
 */
export function decideAdmission(
  { email, emailVerified }: Newcomer,
  rules: { invited: Role | null; domains: readonly string[]; defaultRole: Role },
): Admission {
  if (!emailVerified) return { outcome: 'refused' }
  if (rules.invited !== null) return { outcome: 'admitted', role: rules.invited }
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1).toLowerCase()
  return at > 0 && rules.domains.includes(domain)
    ? { outcome: 'admitted', role: rules.defaultRole }
    : { outcome: 'refused' }
}
