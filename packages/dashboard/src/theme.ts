import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { TEXTS } from './texts.ts'

/** Text on or in these colors has a contrast of 4.5:1 or more. */
const harbour: MantineColorsTuple = [
  '#e6f7fa',
  '#d3ebf0',
  '#a5d6e0',
  '#74c0d0',
  '#4dadc2',
  '#35a2ba',
  '#2391aa',
  '#0b7285',
  '#09667a',
  '#07566b',
]

/** The neutral shades of theme.css, in Mantine's order. */
const gray: MantineColorsTuple = [
  '#f6f8f8',
  '#f1f4f4',
  '#eceff0',
  '#e3e8e8',
  '#cfd7d7',
  '#a3adae',
  '#879394',
  '#5f6b6c',
  '#4a5556',
  '#121818',
]
const dark: MantineColorsTuple = [
  '#e9eeee',
  '#adb8b9',
  '#8b9798',
  '#667274',
  '#343e40',
  '#252d2e',
  '#161b1c',
  '#0d1112',
  '#101516',
  '#0a0d0e',
]

export const theme = createTheme({
  colors: { harbour, gray, dark },
  primaryColor: 'harbour',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  // The phone layout is below `sm`, and the navigation has no labels below `lg`.
  breakpoints: { xs: '36em', sm: '56.3125em', md: '68.75em', lg: '81.3125em', xl: '100em' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.375rem', lg: '0.625rem', xl: '1rem' },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", ui-monospace, SFMono-Regular, Menlo, monospace',
  fontSizes: {
    xs: '0.75rem',
    sm: '0.8125rem',
    md: '0.875rem',
    lg: '1rem',
    xl: '1.25rem',
  },
  fontWeights: { medium: '500', bold: '600' },
  lineHeights: { xs: '1.34', sm: '1.54', md: '1.43', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '2.25rem' },
      h2: { fontSize: '1.25rem', lineHeight: '1.75rem' },
      h3: { fontSize: '1rem', lineHeight: '1.5rem' },
      h4: { fontSize: '0.875rem', lineHeight: '1.25rem' },
    },
  },
  cursorType: 'pointer',
  components: {
    Button: {
      styles: { root: { maxWidth: '100%' } },
      // Small buttons have the text of the others.
      vars: () => ({ root: { '--button-fz': 'var(--mantine-font-size-sm)' } }),
    },
    Accordion: {
      defaultProps: { variant: 'contained' },
      styles: { item: { backgroundColor: 'var(--card)' } },
    },
    Badge: { defaultProps: { variant: 'light', radius: 'xs', tt: 'none', fw: 500 } },
    // It contains only items, and is in a landmark.
    Menu: {
      defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#main' } },
    },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Paper: { defaultProps: { radius: 'lg' } },
    Card: { defaultProps: { radius: 'lg' } },
    // components/dialog.tsx closes the topmost one only.
    Modal: {
      defaultProps: {
        ...{ closeOnEscape: false, size: 480, radius: 'lg', yOffset: '12vh' },
        overlayProps: { color: '#0d1414', backgroundOpacity: 0.42 },
      },
    },
    // What is optional says so, and a hint is below its input.
    InputWrapper: {
      defaultProps: {
        withAsterisk: false,
        inputWrapperOrder: ['label', 'input', 'description', 'error'],
      },
    },
    Drawer: { defaultProps: { closeOnEscape: false } },
    CloseButton: { defaultProps: { 'aria-label': TEXTS.close } },
    // The header of a dialog is not a landmark of the page.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    // The default text of a notification has a contrast of only 3.3:1.
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    // Tabs that do not fit scroll horizontally instead of wrapping.
    Tabs: {
      styles: {
        list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' },
        tab: { flex: 'none' },
      },
    },
    Table: { defaultProps: { verticalSpacing: 'xs' } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        // All content of a page is in a landmark.
        portalProps: { target: '#main' },
        openDelay: 200,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
})

/** The token of each of Mantine's colors. Colors other than those of states and the accent are not used. */
const STATES: Readonly<Record<string, string>> = {
  green: 'green',
  orange: 'orange',
  yellow: 'orange',
  red: 'red',
  gray: 'grey',
  grape: 'grey',
}

function stateVariables(): Record<string, string> {
  const entries = Object.entries(STATES).flatMap(([color, token]) => [
    [`--mantine-color-${color}-light`, `var(--${token}-soft)`],
    [`--mantine-color-${color}-light-color`, `var(--${token}-text)`],
    [`--mantine-color-${color}-text`, `var(--${token}-text)`],
  ])
  return Object.fromEntries(entries)
}

/** Gives the tokens of theme.css to Mantine, the same in both color schemes: each token has both values. */
export const resolveVariables: CSSVariablesResolver = () => {
  const tokens = {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-bright': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-2)',
    '--mantine-color-placeholder': 'var(--text-3)',
    '--mantine-color-anchor': 'var(--accent-text)',
    '--mantine-color-error': 'var(--red-text)',
    '--mantine-color-default': 'var(--card)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-disabled': 'var(--grey-soft)',
    '--mantine-color-disabled-color': 'var(--text-3)',
    '--mantine-color-disabled-border': 'transparent',
    '--mantine-primary-color-filled': 'var(--accent)',
    '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
    '--mantine-primary-color-light': 'var(--accent-soft)',
    '--mantine-primary-color-light-hover': 'var(--selected)',
    '--mantine-primary-color-light-color': 'var(--accent-text)',
    '--mantine-color-harbour-filled': 'var(--accent)',
    '--mantine-color-harbour-filled-hover': 'var(--accent-hover)',
    '--mantine-color-harbour-light': 'var(--accent-soft)',
    '--mantine-color-harbour-light-hover': 'var(--selected)',
    '--mantine-color-harbour-light-color': 'var(--accent-text)',
    '--mantine-color-harbour-text': 'var(--accent-text)',
    '--mantine-color-blue-light': 'var(--accent-soft)',
    '--mantine-color-blue-light-color': 'var(--accent-text)',
    ...stateVariables(),
  }
  return { variables: {}, light: tokens, dark: tokens }
}
