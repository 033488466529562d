import { PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { makePasskey } from '../../../api/passkeys.ts'
import { tell } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { FormEnd } from '../../../components/form-end.tsx'
import { describeUserAgent } from '../../../lib/user-agent.ts'

const PATH = '/api/v1/account/passkeys'

/** Asks for a name and the password, then the browser for a passkey. */
export function AddPasskey({
  withPassword,
  onClose,
  onAdded,
}: {
  withPassword: boolean
  onClose: () => void
  onAdded: () => Promise<void>
}) {
  const [trouble, setTrouble] = useState('')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: describeUserAgent(navigator.userAgent), password: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  })
  const submit = form.onSubmit(async ({ name, password }) => {
    setTrouble('')
    try {
      const body = withPassword ? { password } : {}
      const { options } = await callHub<{ options: PublicKeyCredentialCreationOptionsJSON }>(
        `${PATH}/options`,
        { method: 'POST', body },
      )
      const response = await makePasskey(options)
      await callHub(PATH, { method: 'POST', body: { name: name.trim(), response } })
      await onAdded()
      tell('The passkey was added.')
      onClose()
    } catch (error) {
      setTrouble(wordsOfMaking(error))
    }
  })
  return (
    <Dialog opened onClose={onClose} title="Add a passkey" centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="By which you know it in the list"
            required
            maxLength={100}
            {...form.getInputProps('name')}
          />
          {withPassword && (
            <PasswordInput
              label="Your password"
              required
              data-autofocus
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
          )}
          <FormEnd trouble={trouble} action="Add" isBusy={form.submitting} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

function wordsOfMaking(error: unknown): string {
  if (!(error instanceof DOMException)) return wordsOf(error)
  if (error.name === 'InvalidStateError') return 'This device has a passkey for the hub already.'
  return 'No passkey was made. Try again, or use another device.'
}
