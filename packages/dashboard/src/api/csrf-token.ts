/**
 * The CSRF token of the session. The `csrf-token` meta tag of the page is the only place where it is kept
 * (specification 4.1): the hub fills it in, and a new session in the same page replaces its content.
 */
const TAG = 'meta[name="csrf-token"]'

/** Empty where nobody is signed in. */
export function readCsrfToken(): string {
  return document.querySelector(TAG)?.getAttribute('content') ?? ''
}

export function writeCsrfToken(token: string): void {
  document.querySelector(TAG)?.setAttribute('content', token)
}
