import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PASSKEYS_PATH } from '../../api/account.ts'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { createPasskey } from '../../api/passkeys.ts'
import { notify } from '../../components/confirm.tsx'
import { PasswordAgainInput } from '../../components/current-password-input.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { userAgentLabel } from '../../lib/user-agent.ts'
import { TEXTS } from '../../texts.ts'

type AddPasskeyProps = { onClose: () => void; onAdded: () => Promise<void> }

/** A dialog to name and create a passkey, after reauthentication. */
export function AddPasskey({ onClose, onAdded }: AddPasskeyProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: userAgentLabel(navigator.userAgent), password: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  return (
    <FormDialog
      form={form}
      title="Add a passkey"
      action="Add"
      errorOf={creationErrorMessage}
      onClose={onClose}
      onSubmit={async ({ name, password }) => {
        const body = { password }
        const { options } = await callHub<{ options: PublicKeyCredentialCreationOptionsJSON }>(
          `${PASSKEYS_PATH}/options`,
          { method: 'POST', body },
        )
        const response = await createPasskey(options)
        await callHub(PASSKEYS_PATH, { method: 'POST', body: { name: name.trim(), response } })
        await onAdded()
        notify('Passkey added.')
        onClose()
      }}
    >
      <TextInput
        label={TEXTS.name}
        description="Shown in the list of passkeys"
        required
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <PasswordAgainInput data-autofocus {...form.getInputProps('password')} />
    </FormDialog>
  )
}

function creationErrorMessage(error: unknown): string {
  if (!(error instanceof DOMException)) return errorMessage(error)
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for this hub.'
  return 'No passkey was created. Try again, or use another device.'
}
