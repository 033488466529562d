import { Modal, type ModalProps } from '@mantine/core'
import { useCloseOnEscape } from '../lib/use-close-on-escape.ts'

type DialogProps = ModalProps & {
  /** Only its buttons close it, for example if it shows a secret once. Escape and a click outside do not. */
  staysOpen?: boolean
}

/** A modal dialog. Escape closes it only while it is the topmost one. */
export function Dialog({ staysOpen = false, ...props }: DialogProps) {
  useCloseOnEscape(props.opened, staysOpen ? null : props.onClose)
  return <Modal {...props} {...(staysOpen ? { closeOnClickOutside: false } : {})} />
}
