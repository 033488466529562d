import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'

/** E-mail and password. */
export function SignInPassword({
  email,
  onSubmit,
}: {
  email: string
  onSubmit: (values: { email: string; password: string }) => Promise<void>
}) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
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
        <Button type="submit" loading={form.submitting}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
