/** What makes a `Menu` one that screen readers understand: nothing but items in it, and within the page's main part. */
export const MENU_PROPS = {
  withInitialFocusPlaceholder: false,
  portalProps: { target: '#main' },
} as const
