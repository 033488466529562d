import type { Settings, SourceSettings } from './settings.ts'

/** Masks every secret in a text, such as the error message of a driver. */
export type RedactSecrets = (text: string) => string

/** A shorter secret may also occur in ordinary text, which masking every occurrence would garble. */
const MIN_LENGTH_TO_MASK_EVERYWHERE = 6

/** The text before and after a password in a URL. */
const PASSWORD_POSITIONS = [
  { before: ':', after: '@' },
  { before: 'password=', after: '' },
] as const

/** Creates a function that masks secrets. Short secrets are masked only at the password positions of URLs. */
export function createRedactor(secrets: readonly string[]): RedactSecrets {
  // The longest first, since one secret may contain another.
  const known = [...new Set(secrets)]
    .filter((one) => one !== '')
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce(maskSecret, text)
}

function maskSecret(text: string, secret: string): string {
  if (secret.length >= MIN_LENGTH_TO_MASK_EVERYWHERE) return text.replaceAll(secret, '***')
  return PASSWORD_POSITIONS.reduce(
    (left, { before, after }) =>
      left.replaceAll(`${before}${secret}${after}`, `${before}***${after}`),
    text,
  )
}

export function secretsOf({ platform, source, push }: Settings): string[] {
  return [...platform.sourceKeys, ...(push ? [push.hubApiKey] : []), ...secretsOfSource(source)]
}

export function secretsOfSource(source: SourceSettings): string[] {
  return 'url' in source ? secretsInUrl(source.url) : []
}

export function secretsInUrl(address: string): string[] {
  if (!URL.canParse(address)) return []
  const url = new URL(address)
  const passwords = [url.password, url.searchParams.get('password') ?? '']
  return passwords.flatMap((password) => [password, decode(password)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
