/**
 * Single sign-on: the issuer of the provider (OpenID Connect Discovery 1.0, sections 4.1 and 4.3), and the admission of
 * new operators.
 */
import type { Role } from './caller.ts'

const DISCOVERY_PATH = '/.well-known/openid-configuration'

/** The configured issuer and the URL of its discovery document. The setting may name either of them. */
export function readIssuer(setting: string): { issuer: string; discoveryUrl: string } {
  if (!setting.endsWith(DISCOVERY_PATH)) {
    return { issuer: setting, discoveryUrl: `${setting}${DISCOVERY_PATH}` }
  }
  return { issuer: setting.slice(0, -DISCOVERY_PATH.length), discoveryUrl: setting }
}

/**
 * Whether a discovery document names the configured issuer. Only differences that lead to the same document are
 * allowed: a trailing slash, which is removed to form its URL, and the case of scheme and host. The tokens must
 * contain the issuer exactly as the document names it.
 * @param expected a URL as the settings are parsed: normalised, without a trailing slash
 */
export function isIssuer(expected: string, named: unknown): named is string {
  if (typeof named !== 'string') return false
  const url = URL.parse(named)?.href
  return url === expected || url === `${expected}/`
}

/** A person whom a single sign-on provider has authenticated and who is not an operator yet. */
type Newcomer = { email: string; emailVerified: boolean }

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
