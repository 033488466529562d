import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { PasswordAgainInput } from './current-password-input.tsx'
import { FormDialog } from './form-dialog.tsx'

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
  const { children, onConfirm, ...dialog } = props
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  return (
    <FormDialog {...dialog} form={form} onSubmit={({ password }) => onConfirm(password)}>
      {children && <Text size="sm">{children}</Text>}
      <PasswordAgainInput data-autofocus {...form.getInputProps('password')} />
    </FormDialog>
  )
}
