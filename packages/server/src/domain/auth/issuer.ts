/** Whom the hub takes for its provider of single sign-on: OpenID Connect Discovery 1.0, sections 4.1 and 4.3. */

const DESCRIPTION = '/.well-known/openid-configuration'

/** The issuer that is set, and the address of its description, which may be what is set. */
export function readIssuer(setting: string): { issuer: string; description: string } {
  if (!setting.endsWith(DESCRIPTION)) {
    return { issuer: setting, description: `${setting}${DESCRIPTION}` }
  }
  return { issuer: setting.slice(0, -DESCRIPTION.length), description: setting }
}

/**
 * Whether a description names the issuer that is set. It must be identical but for what leads to the same
 * description: the slash at the end that some issuers have, which is taken off before the address is made,
 * and how the scheme and the host are written. Tokens must name it letter by letter as the description does.
 * @param expected as settings are read: as the URL standard writes it, without a slash at the end
 */
export function isIssuer(expected: string, named: unknown): named is string {
  if (typeof named !== 'string') return false
  const address = URL.parse(named)?.href
  return address === expected || address === `${expected}/`
}
