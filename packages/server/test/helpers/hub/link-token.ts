/** The token of a single-use link, which is behind the # so that browsers do not send it. */
export function tokenOfLink(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''
}
