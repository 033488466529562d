import { useLocation } from '@tanstack/react-router'
import { parseUrlState } from './url-state.ts'

/**
 * The token of a link that holds once, '' for none. It stands behind the #, which browsers send to nobody,
 * and stays in the bar, so that a reload works: once used it is worth nothing to who finds it there.
 */
export function useLinkToken(): string {
  return useLocation({ select: ({ hash }) => parseUrlState(hash)['token'] ?? '' })
}
