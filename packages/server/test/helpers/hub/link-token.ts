/** The token of a link that holds once, where the page finds it: behind the #, which a browser sends to nobody. */
export function tokenOfLink(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''
}
