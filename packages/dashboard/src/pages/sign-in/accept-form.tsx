import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { signIn } from '../../api/sign-in.ts'
import { SignInAlternatives } from '../../components/sign-in-alternatives.tsx'
import { PASSWORD_ADVICE, passwordError } from './password-rule.ts'
import { TEXTS } from './texts.ts'

/** Accepts an invitation with a name and a password, or by single sign-on. */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const [errorText, setErrorText] = useState('')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '', again: '' },
    validate: {
      password: passwordError,
      again: (again, { password }) => (again === password ? null : TEXTS.passwordsDoNotMatch),
    },
  })
  const submit = form.onSubmit(async ({ name, password }) => {
    setErrorText('')
    try {
      await callHub('/invitation', { method: 'POST', body: { token, name, password } })
      await signIn({ email, password })
      location.assign('/dashboard')
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <Stack>
      {errorText && (
        <Alert color="red" variant="light" role="alert">
          {errorText}
        </Alert>
      )}
      <form onSubmit={submit}>
        <Stack>
          <TextInput label={TEXTS.eMail} value={email} readOnly autoComplete="username" />
          <TextInput label={TEXTS.yourName} autoComplete="name" {...form.getInputProps('name')} />
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
          <Button type="submit" loading={form.submitting}>
            {TEXTS.createAccountAndSignIn}
          </Button>
        </Stack>
      </form>
      <SignInAlternatives
        next="/dashboard"
        passkeys={false}
        before={<Divider label={TEXTS.orWithoutPassword} />}
        onResult={async () => undefined}
        onError={setErrorText}
      />
    </Stack>
  )
}
