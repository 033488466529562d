import { useHash } from '@mantine/hooks'

/**
 * The token of a one-time link; an empty string for none. It is in the fragment, which browsers do not send, and stays in
 * the address bar, so that a reload works. A used token is worthless.
 */
export function useLinkToken(): string {
  const [hash] = useHash({ getInitialValueInEffect: false })
  return new URLSearchParams(hash.slice(1)).get('token') ?? ''
}
