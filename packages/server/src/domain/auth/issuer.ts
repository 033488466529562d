/** The issuer of a single sign-on provider: OpenID Connect Discovery 1.0, sections 4.1 and 4.3. */

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
