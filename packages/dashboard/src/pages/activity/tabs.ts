import type { UrlChanges, UrlState } from '../../lib/url-state.ts'

const TABS = ['log', 'rejected', 'push-errors', 'alerts', 'missing', 'completeness']

export function tabOf({ tab = '' }: UrlState): string {
  return TABS.includes(tab) ? tab : 'log'
}

/** Another tab starts with its default state and the current platform filter. */
export function changesForTab(state: UrlState, tab: string | null): UrlChanges {
  const none = Object.fromEntries(Object.keys(state).map((name) => [name, null]))
  return { ...none, platform: state['platform'], tab: tab === 'log' ? null : tab }
}
