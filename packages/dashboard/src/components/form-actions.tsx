import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { TEXTS } from '../texts.ts'
import { DialogFooter } from './dialog.tsx'
import { FormError } from './form-error.tsx'

/** The end of a form in a dialog: the error, and the buttons to cancel and submit. */
export function FormActions(props: {
  /** An empty string for none. */
  error: string
  /** The label of the submit button. */
  action: string
  isBusy: boolean
  danger?: boolean
  note?: ReactNode
  onCancel: () => void
}) {
  const { error, action, isBusy, danger = false, note, onCancel } = props
  return (
    <>
      <FormError message={error} />
      <DialogFooter note={note}>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          {TEXTS.cancel}
        </Button>
        <Button type="submit" {...(danger ? { color: 'red' } : {})} loading={isBusy}>
          {action}
        </Button>
      </DialogFooter>
    </>
  )
}
