import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { signIn } from '../api/sign-in.ts'

/** E-mail and password; on the page of its own, and over a page whose session has ended. */
export function SignInForm({
  email,
  onSignedIn,
}: {
  email: string
  onSignedIn: () => Promise<void>
}) {
  const [trouble, setTrouble] = useState('')
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })
  const submit = form.onSubmit(async (values) => {
    setTrouble('')
    const result = await signIn(values)
    if (result.outcome === 'refused') setTrouble(result.reason)
    else await onSignedIn()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          required
          autoComplete="username"
          data-autofocus={email === '' || undefined}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          required
          autoComplete="current-password"
          data-autofocus={email !== '' || undefined}
          {...form.getInputProps('password')}
        />
        {trouble && (
          <Alert color="red" variant="light" role="alert">
            {trouble}
          </Alert>
        )}
        <Button type="submit" loading={form.submitting}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
