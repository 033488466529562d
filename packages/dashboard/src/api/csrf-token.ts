/**
 * The CSRF token of the session. It is stored only in the `csrf-token` meta tag of the page (specification 4.1). The hub
 * fills in the tag, and a new session in the same page replaces its content.
 */
const TAG = 'meta[name="csrf-token"]'

/** Returns an empty string if there is no session. */
export function readCsrfToken(): string {
  return document.querySelector(TAG)?.getAttribute('content') ?? ''
}

/** The headers of every request of the page, and the token of every one that changes something (specification 4.1). */
export function pageHeaders(method: string): Record<string, string> {
  return {
    Accept: 'application/json',
    'X-Requested-With': 'XMLHttpRequest',
    ...(method === 'GET' ? {} : { 'X-CSRF-TOKEN': readCsrfToken() }),
  }
}

export function writeCsrfToken(token: string): void {
  document.querySelector(TAG)?.setAttribute('content', token)
}
