import type { Role } from './caller.ts'

/** A person whom a single sign-on provider has authenticated and who is not an operator yet. */
export type Newcomer = { email: string; emailVerified: boolean }

export type Admission = { outcome: 'admitted'; role: Role } | { outcome: 'rejected' }

/**
 * Decides whether a person who signs in by single sign-on becomes an operator: only if the provider has verified the
 * e-mail address, and the address was invited or belongs to an admitted domain.
 */
export function decideAdmission(
  { email, emailVerified }: Newcomer,
  policy: { invited: Role | null; domains: readonly string[]; defaultRole: Role },
): Admission {
  if (!emailVerified) return { outcome: 'rejected' }
  if (policy.invited !== null) return { outcome: 'admitted', role: policy.invited }
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1).toLowerCase()
  return at > 0 && policy.domains.includes(domain)
    ? { outcome: 'admitted', role: policy.defaultRole }
    : { outcome: 'rejected' }
}
