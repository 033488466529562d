/** How many seconds the hub asks not to be asked again; 0 where it does not say. */
export function retryAfterOf({ headers }: Pick<Response, 'headers'>): number {
  return Number(headers.get('Retry-After')) || 0
}
