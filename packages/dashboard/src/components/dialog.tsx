import { Drawer, type DrawerProps, Group, Modal, type ModalProps, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCloseOnEscape } from '../lib/use-close-on-escape.ts'
import classes from './dialog.module.css'

type DialogProps = ModalProps & {
  /** Only its buttons close it, for example if it shows a secret once. Escape and a click outside do not. */
  staysOpen?: boolean
}

/** A modal dialog. Escape closes it only while it is the topmost one. */
export function Dialog({ staysOpen = false, ...props }: DialogProps) {
  useCloseOnEscape(props.opened, staysOpen ? null : props.onClose)
  return <Modal {...props} {...(staysOpen ? { closeOnClickOutside: false } : {})} />
}

/** A drawer on the right. Escape closes it only while no dialog is open over it. */
export function SideDrawer(props: DrawerProps) {
  useCloseOnEscape(props.opened, props.onClose)
  return <Drawer position="right" {...props} />
}

/** The last line of a dialog: a note, and the buttons, the main one last. */
export function DialogFooter({ note, children }: { note?: ReactNode; children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="xs" className={classes['footer'] ?? ''}>
      {note && (
        <Text size="xs" className={classes['note'] ?? ''}>
          {note}
        </Text>
      )}
      {children}
    </Group>
  )
}
