import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { signIn } from '../../api/sign-in.ts'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { EntryFrame } from './entry-frame.tsx'
import { PASSWORD_ADVICE, passwordError } from './password-rule.ts'
import { RestoreForm } from './restore-form.tsx'
import { TEXTS } from './texts.ts'

/** The setup page of the first run, opened by the one-time link in the log of the hub. */
export function SetupPage() {
  const token = useLinkToken()
  const [errorText, setErrorText] = useState('')
  const [isRestoring, setIsRestoring] = useState(false)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '', again: '' },
    validate: {
      password: passwordError,
      again: (again, { password }) => (again === password ? null : TEXTS.passwordsDoNotMatch),
    },
  })
  const submit = form.onSubmit(async ({ name, email, password }) => {
    setErrorText('')
    try {
      await callHub('/setup', { method: 'POST', body: { token, name, email, password } })
      await signIn({ email, password })
      location.assign('/dashboard')
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  if (isRestoring) {
    return (
      <EntryFrame title={TEXTS.iHaveABackup} description={TEXTS.restoreDescription}>
        <RestoreForm token={token} onCancel={() => setIsRestoring(false)} />
      </EntryFrame>
    )
  }
  return (
    <EntryFrame title={TEXTS.welcome} description={TEXTS.setupDescription}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput label={TEXTS.yourName} autoComplete="name" {...form.getInputProps('name')} />
          <TextInput
            label={TEXTS.eMail}
            type="email"
            required
            autoComplete="username"
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={TEXTS.password}
            description={PASSWORD_ADVICE}
            required
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={TEXTS.confirmPassword}
            required
            autoComplete="new-password"
            {...form.getInputProps('again')}
          />
          {errorText && (
            <Alert color="red" variant="light" role="alert">
              {errorText}
            </Alert>
          )}
          <Button type="submit" loading={form.submitting}>
            {TEXTS.createAccountAndSignIn}
          </Button>
          <Button variant="subtle" onClick={() => setIsRestoring(true)}>
            {TEXTS.iHaveABackup}
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  )
}
