import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, wordsOf } from '../../api/call-hub.ts'
import { signIn } from '../../api/sign-in.ts'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { EntryFrame } from './entry-frame.tsx'
import { PASSWORD_ADVICE, passwordFault } from './password-rule.ts'

/** The first run: opened by the one-time link that the hub printed. */
export function SetupPage() {
  const token = useLinkToken()
  const [trouble, setTrouble] = useState('')
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '', again: '' },
    validate: {
      password: passwordFault,
      again: (again, { password }) => (again === password ? null : 'This is not the same password'),
    },
  })
  const submit = form.onSubmit(async ({ name, email, password }) => {
    setTrouble('')
    try {
      await callHub('/setup', { method: 'POST', body: { token, name, email, password } })
      await signIn({ email, password })
      location.assign('/dashboard')
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  return (
    <EntryFrame
      title="Welcome"
      description="Create the first operator of this hub. This one may do everything, and invites the others."
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput label="Your name" autoComplete="name" {...form.getInputProps('name')} />
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            {...form.getInputProps('email')}
          />
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
          {trouble && (
            <Alert color="red" variant="light" role="alert">
              {trouble}
            </Alert>
          )}
          <Button type="submit" loading={form.submitting}>
            Create and sign in
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  )
}
