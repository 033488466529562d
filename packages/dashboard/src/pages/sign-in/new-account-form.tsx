import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { signIn } from '../../api/sign-in.ts'
import { FormError } from '../../components/form-error.tsx'
import { useSubmit } from '../../lib/use-submit.ts'
import { TEXTS } from '../../texts.ts'
import { PASSWORD_ADVICE, passwordError } from './password-rule.ts'

/** Creates the account of a one-time link, and signs in. */
export function NewAccountForm({
  path,
  token,
  email,
}: {
  path: '/setup' | '/invitation'
  token: string
  /** The address of an invitation; otherwise it is entered. */
  email?: string
}) {
  const [errors, setErrors] = useState<{ hub?: string; password?: string; again?: string }>({})
  const { isBusy, onSubmit } = useSubmit(async (field) => {
    const password = field('password')
    const rejected = passwordError(password)
    if (rejected !== null) return setErrors({ password: rejected })
    if (field('again') !== password) return setErrors({ again: TEXTS.passwordsDoNotMatch })
    setErrors({})
    try {
      const account = { token, name: field('name'), password }
      const body = email === undefined ? { ...account, email: field('email') } : account
      await callHub(path, { method: 'POST', body })
      await signIn({ email: field('email'), password })
      location.assign('/dashboard')
    } catch (error) {
      setErrors({ hub: errorMessage(error) })
    }
  })
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <FormError message={errors.hub} />
        {email === undefined ? (
          <>
            <NameInput data-autofocus />
            <TextInput
              name="email"
              label={TEXTS.eMail}
              type="email"
              required
              withAsterisk={false}
              autoComplete="username"
            />
          </>
        ) : (
          <>
            <TextInput
              name="email"
              label={TEXTS.eMail}
              value={email}
              readOnly
              autoComplete="username"
            />
            <NameInput />
          </>
        )}
        <PasswordInput
          name="password"
          label={TEXTS.password}
          description={PASSWORD_ADVICE}
          required
          withAsterisk={false}
          autoComplete="new-password"
          error={errors.password}
        />
        <PasswordInput
          name="again"
          label="Confirm password"
          required
          withAsterisk={false}
          autoComplete="new-password"
          error={errors.again}
        />
        <Button type="submit" loading={isBusy}>
          Create account and sign in
        </Button>
      </Stack>
    </form>
  )
}

function NameInput(props: { 'data-autofocus'?: true }) {
  const label = (
    <>
      Your name{' '}
      <Text span c="dimmed" size="sm">
        optional
      </Text>
    </>
  )
  return <TextInput name="name" label={label} autoComplete="name" {...props} />
}
