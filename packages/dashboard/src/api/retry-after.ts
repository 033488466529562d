/** The seconds of the `Retry-After` header; 0 if it is absent. */
export function parseRetryAfter({ headers }: Pick<Response, 'headers'>): number {
  return Number(headers.get('Retry-After')) || 0
}
