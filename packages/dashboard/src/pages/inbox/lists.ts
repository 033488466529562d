import type { UrlState } from '../../lib/url-state.ts'

/** The complete lists behind the inbox, with what is over. */
const LISTS = ['alerts', 'missing', 'rejected', 'push-errors'] as const
export type List = (typeof LISTS)[number]

/** The list in an address; undefined for the inbox itself. */
export function listOf({ tab }: UrlState): List | undefined {
  return LISTS.find((list) => list === tab)
}

/** Where a link to the former page *Activity* leads: to a list of the inbox, to the overview, or to the log. */
export function formerActivity({ tab, ...rest }: UrlState) {
  if (tab === 'completeness') return { to: '/dashboard' as const, search: {} }
  const list = listOf({ ...(tab === undefined ? {} : { tab }) })
  return list === undefined
    ? { to: '/dashboard/log' as const, search: rest }
    : { to: '/dashboard/inbox' as const, search: { ...rest, tab: list } }
}
