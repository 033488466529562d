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

export const theme = createTheme({
  colors: { harbour },
  primaryColor: 'harbour',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  components: {
    Button: { styles: { root: { maxWidth: '100%' } } },
    // components/dialog.tsx and side-drawer.tsx close the topmost one only.
    Modal: { defaultProps: { closeOnEscape: false } },
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
        openDelay: 200,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
})

/** Dimmed text with a contrast of 4.5:1 or more, unlike Mantine's defaults. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-yellow-light-color': '#704500',
    '--mantine-color-orange-light-color': '#8f3403',
    '--mantine-color-green-light-color': '#1b6429',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-blue-light-color': '#14538f',
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    // Also on a hovered row.
    '--mantine-color-anchor': harbour[3],
  },
})
