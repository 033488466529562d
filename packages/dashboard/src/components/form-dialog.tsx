import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { errorMessage, formErrors } from '../api/call-hub.ts'
import { Dialog } from './dialog.tsx'
import { FormActions } from './form-actions.tsx'

/** A form in a dialog: its inputs, the error of the last attempt, and the buttons. */
export function FormDialog<Values extends object>({
  form,
  action,
  danger = false,
  note,
  errorOf = errorMessage,
  children,
  onSubmit,
  onClose,
  ...dialog
}: Pick<ComponentProps<typeof Dialog>, 'title' | 'size' | 'staysOpen'> & {
  form: Pick<
    UseFormReturnType<Values>,
    'getInputNode' | 'getValues' | 'onSubmit' | 'setErrors' | 'submitting'
  >
  /** The label of the submit button. */
  action: string
  danger?: boolean
  note?: ReactNode
  /** The message for an error of `onSubmit`. */
  errorOf?: (error: unknown) => string
  children: ReactNode
  /** Closes the dialog or shows a result. Errors are shown at their inputs, or above the buttons. */
  onSubmit: (values: Values) => Promise<void>
  onClose: () => void
}) {
  const [errorText, setErrorText] = useState('')
  const submit = form.onSubmit(async (values) => {
    setErrorText('')
    try {
      await onSubmit(values)
    } catch (error) {
      const { atInputs, isElsewhere } = formErrors(error, form.getValues())
      form.setErrors(atInputs)
      const [first] = Object.keys(atInputs)
      if (first !== undefined) form.getInputNode(first)?.focus()
      if (isElsewhere) setErrorText(errorOf(error))
    }
  })
  return (
    <Dialog {...dialog} opened onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <FormActions
            error={errorText}
            action={action}
            isBusy={form.submitting}
            danger={danger}
            note={note}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
