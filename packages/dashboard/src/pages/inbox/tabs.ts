import type { UrlChanges, UrlState } from '../../lib/url-state.ts'

const TABS = ['alerts', 'missing', 'rejected', 'push-errors', 'completeness']
const FIRST = 'alerts'

export function tabOf({ tab = '' }: UrlState): string {
  return TABS.includes(tab) ? tab : FIRST
}

/** Another tab starts with its default state and the current platform filter. */
export function changesForTab(state: UrlState, tab: string | null): UrlChanges {
  const none = Object.fromEntries(Object.keys(state).map((name) => [name, null]))
  return { ...none, platform: state['platform'], tab }
}

/** Where a link to the former page *Activity* leads: its tabs are in the inbox now, and the log has its own page. */
export function formerActivity({ tab = '', ...rest }: UrlState) {
  return TABS.includes(tab)
    ? { to: '/dashboard/inbox' as const, search: { ...rest, tab } }
    : { to: '/dashboard/log' as const, search: rest }
}
