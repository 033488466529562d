import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { createPasskey } from '../../api/passkeys.ts'
import { notify } from '../../components/confirm.tsx'
import { PasswordAgainInput } from '../../components/current-password-input.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { userAgentLabel } from '../../lib/user-agent.ts'
import { TEXTS } from '../../texts.ts'

const PATH = '/api/v1/account/passkeys'

/** A dialog to name and create a passkey, after reauthentication. */
export function AddPasskey({
  onClose,
  onAdded,
}: {
  onClose: () => void
  onAdded: () => Promise<void>
}) {
  const [errorText, setErrorText] = useState('')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: userAgentLabel(navigator.userAgent), password: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const submit = form.onSubmit(async ({ name, password }) => {
    setErrorText('')
    try {
      const body = { password }
      const { options } = await callHub<{ options: PublicKeyCredentialCreationOptionsJSON }>(
        `${PATH}/options`,
        { method: 'POST', body },
      )
      const response = await createPasskey(options)
      await callHub(PATH, { method: 'POST', body: { name: name.trim(), response } })
      await onAdded()
      notify('Passkey added.')
      onClose()
    } catch (error) {
      setErrorText(creationErrorMessage(error))
    }
  })
  return (
    <Dialog opened onClose={onClose} title="Add a passkey">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={TEXTS.name}
            description="Shown in the list of passkeys"
            required
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <PasswordAgainInput data-autofocus {...form.getInputProps('password')} />
          <FormActions error={errorText} action="Add" isBusy={form.submitting} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

function creationErrorMessage(error: unknown): string {
  if (!(error instanceof DOMException)) return errorMessage(error)
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for this hub.'
  return 'No passkey was created. Try again, or use another device.'
}
