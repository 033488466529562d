import { useLocation } from '@tanstack/react-router'
import { parseUrlState } from './url-state.ts'

/**
 * The token of a one-time link; an empty string for none. It is in the fragment, which browsers do not send, and stays in
 * the address bar, so that a reload works. A used token is worthless.
 */
export function useLinkToken(): string {
  return useLocation({ select: ({ hash }) => parseUrlState(hash)['token'] ?? '' })
}
