import type { Settings } from './settings.ts'

/** Takes every secret out of a text that people may see, whatever a driver or a server has put into it. */
export type HideSecrets = (text: string) => string

export function createHiding(secrets: readonly string[]): HideSecrets {
  // The longest first: one may hold another.
  const known = [...new Set(secrets)]
    .filter((one) => one !== '')
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

export function secretsOf({ platform, source, push }: Settings): string[] {
  return [
    ...platform.sourceKeys,
    ...(push ? [push.hubApiKey] : []),
    ...('url' in source ? secretsInUrl(source.url) : []),
  ]
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
