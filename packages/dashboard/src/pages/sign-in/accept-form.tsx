import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, wordsOf } from '../../api/call-hub.ts'
import { signIn } from '../../api/sign-in.ts'
import { SignInOthers } from '../../components/sign-in-others.tsx'
import { PASSWORD_ADVICE, passwordFault } from './password-rule.ts'

/** Chooses a name and a password, or comes by single sign-on, which needs none. */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const [trouble, setTrouble] = useState('')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '', again: '' },
    validate: {
      password: passwordFault,
      again: (again, { password }) => (again === password ? null : 'This is not the same password'),
    },
  })
  const submit = form.onSubmit(async ({ name, password }) => {
    setTrouble('')
    try {
      await callHub('/invitation', { method: 'POST', body: { token, name, password } })
      await signIn({ email, password })
      location.assign('/dashboard')
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  return (
    <Stack>
      {trouble && (
        <Alert color="red" variant="light" role="alert">
          {trouble}
        </Alert>
      )}
      <form onSubmit={submit}>
        <Stack>
          <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
          <TextInput label="Your name" autoComplete="name" {...form.getInputProps('name')} />
          <PasswordInput
            label="Password"
            description={PASSWORD_ADVICE}
            required
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label="Password again"
            required
            autoComplete="new-password"
            {...form.getInputProps('again')}
          />
          <Button type="submit" loading={form.submitting}>
            Create the account and sign in
          </Button>
        </Stack>
      </form>
      <SignInOthers
        next="/dashboard"
        passkeys={false}
        before={<Divider label="or, without a password here" />}
        onResult={async () => undefined}
        onTrouble={setTrouble}
      />
    </Stack>
  )
}
