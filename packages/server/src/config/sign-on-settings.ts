/** Settings of single sign-on: each gives the value of a text, or throws what is wrong with it. */

const DOMAIN = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/

export function domains(value: string): readonly string[] {
  const names = value.split(',').map((one) => one.trim().toLowerCase())
  if (names.every((name) => DOMAIN.test(name))) return names
  throw new Error('must be domains such as example.org, with commas between')
}

/** @throws Error naming what is missing where some of them are set, but not what they need. */
export function checkSignOn(values: {
  issuer: string
  clientId: string
  clientSecret: string
  publicUrl: string
}): void {
  const { issuer, clientId, clientSecret, publicUrl } = values
  const set = [issuer, clientId, clientSecret].filter(Boolean).length
  if (set !== 0 && set !== 3) {
    throw new Error(
      'HUB_OIDC_ISSUER, HUB_OIDC_CLIENT_ID and HUB_OIDC_CLIENT_SECRET: set all or none.',
    )
  }
  if (set > 0 && publicUrl === '') {
    throw new Error(
      'HUB_PUBLIC_URL: single sign-on needs it, since the provider sends people there.',
    )
  }
}
