import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../api/call-hub.ts'
import { PasswordAgainInput } from './current-password-input.tsx'
import { Dialog } from './dialog.tsx'
import { FormActions } from './form-actions.tsx'

/** Asks for the password again before a sensitive action. */
export function PasswordDialog(props: {
  title: string
  /** The label of the submit button. */
  action: string
  danger?: boolean
  children?: ReactNode
  onClose: () => void
  /** Closes the dialog or shows a result. Errors are shown in the dialog. */
  onConfirm: (password: string) => Promise<void>
}) {
  const { title, action, danger = false, children, onClose, onConfirm } = props
  const [errorText, setErrorText] = useState('')
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const submit = form.onSubmit(async ({ password }) => {
    setErrorText('')
    try {
      await onConfirm(password)
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {children && <Text size="sm">{children}</Text>}
          <PasswordAgainInput data-autofocus {...form.getInputProps('password')} />
          <FormActions
            error={errorText}
            action={action}
            isBusy={form.submitting}
            danger={danger}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
