/** The token of a single-use link. It is in the fragment, which browsers do not send. */
export function tokenOfLink(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''
}
