/** Props for an accessible `Menu`: it contains only items and is rendered inside the main element. */
export const MENU_PROPS = {
  withInitialFocusPlaceholder: false,
  portalProps: { target: '#main' },
} as const
