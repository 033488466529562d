import { Drawer, type DrawerProps } from '@mantine/core'
import { useCloseOnEscape } from '../lib/use-close-on-escape.ts'

/** A drawer on the right. Escape closes it only while no dialog is open over it. */
export function SideDrawer(props: DrawerProps) {
  useCloseOnEscape(props.opened, props.onClose)
  return <Drawer position="right" {...props} />
}
