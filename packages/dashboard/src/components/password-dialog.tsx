import { PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { wordsOf } from '../api/call-hub.ts'
import { Dialog } from './dialog.tsx'
import { FormEnd } from './form-end.tsx'

/** Asks for the password once more before something that nobody who found the browser open may do. */
export function PasswordDialog({
  title,
  action,
  danger = false,
  withPassword = true,
  children,
  onClose,
  onConfirm,
}: {
  title: string
  /** The word on the button: what is done. */
  action: string
  danger?: boolean
  /** False for who has none: a fresh sign-in stands for it. */
  withPassword?: boolean
  children?: ReactNode
  onClose: () => void
  /** Closes the dialog or shows something else; what it throws is told. */
  onConfirm: (password: string) => Promise<void>
}) {
  const [trouble, setTrouble] = useState('')
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const submit = form.onSubmit(async ({ password }) => {
    setTrouble('')
    try {
      await onConfirm(password)
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  return (
    <Dialog opened onClose={onClose} title={title} centered>
      <form onSubmit={submit}>
        <Stack>
          {children && <Text size="sm">{children}</Text>}
          {withPassword && (
            <PasswordInput
              label="Your password"
              required
              data-autofocus
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
          )}
          <FormEnd
            trouble={trouble}
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
