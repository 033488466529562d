import { Button, Divider, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useHash } from '@mantine/hooks'
import { IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { signIn, useInvitation } from '../../api/sign-in.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FormError } from '../../components/form-error.tsx'
import { SignInAlternatives } from '../../components/sign-in-alternatives.tsx'
import { ROLE_DESCRIPTIONS } from '../../lib/roles.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { TEXTS } from '../../texts.ts'
import { EntryFrame } from './entry-frame.tsx'
import { PASSWORD_ADVICE, passwordError } from './password-rule.ts'
import { RestoreForm } from './restore-form.tsx'
import { NoOperator } from './sign-in-page.tsx'

/** Creates the account of a one-time link, and signs in. */
function NewAccountForm(props: {
  path: '/setup' | '/invitation'
  token: string
  /** The address of an invitation; otherwise it is entered. */
  email?: string
}) {
  const { path, token, email } = props
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
  const nameInput = (
    <TextInput
      name="name"
      label={
        <>
          Your name{' '}
          <Text span c="dimmed" size="sm">
            optional
          </Text>
        </>
      }
      autoComplete="name"
      data-autofocus={email === undefined || undefined}
    />
  )
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <FormError message={errors.hub} />
        {email === undefined && nameInput}
        <TextInput
          name="email"
          label={TEXTS.eMail}
          autoComplete="username"
          {...(email === undefined
            ? { type: 'email', required: true }
            : { value: email, readOnly: true })}
        />
        {email !== undefined && nameInput}
        <PasswordInput
          name="password"
          label={TEXTS.password}
          description={PASSWORD_ADVICE}
          required
          autoComplete="new-password"
          error={errors.password}
        />
        <PasswordInput
          name="again"
          label="Confirm password"
          required
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

/** The setup page of the first run, opened by the one-time link in the log of the hub. */
export function SetupPage() {
  const token = useLinkToken()
  const [isRestoring, setIsRestoring] = useState(false)
  if (token === '') return <NoOperator />
  if (isRestoring) return <RestoreForm token={token} onCancel={() => setIsRestoring(false)} />
  return (
    <EntryFrame
      title="Welcome"
      description="Create the first operator of this hub, with full access. You can invite others later."
    >
      <NewAccountForm path="/setup" token={token} />
      <Button
        variant="default"
        leftSection={<IconHistory size={16} aria-hidden />}
        onClick={() => setIsRestoring(true)}
      >
        Restore a backup
      </Button>
    </EntryFrame>
  )
}

/** The page of an invitation link: accepted with a name and a password, or by single sign-on. */
export function InvitationPage() {
  const token = useLinkToken()
  return <Invitation key={token} token={token} />
}

function Invitation({ token }: { token: string }) {
  const { data, error } = useInvitation(token)
  const [signOnError, setSignOnError] = useState('')
  if (!data) {
    return (
      <EntryFrame title="Invitation">
        {error ? (
          <ErrorNotice error={error} title="Invalid invitation link" />
        ) : (
          <Skeleton height={140} aria-busy="true" aria-label={TEXTS.loading} />
        )}
      </EntryFrame>
    )
  }
  const { email, role } = data
  return (
    <EntryFrame
      title="Welcome"
      description={`You have been invited to this hub with the role ${role}. ${ROLE_DESCRIPTIONS[role]}`}
    >
      <NewAccountForm path="/invitation" token={token} email={email} />
      <FormError message={signOnError} />
      <SignInAlternatives
        next="/dashboard"
        passkeys={false}
        before={<Divider label="or without a password" />}
        onResult={async () => undefined}
        onError={setSignOnError}
      />
    </EntryFrame>
  )
}

/**
 * The token of a one-time link; an empty string for none. It is in the fragment, which browsers do not send, and stays in
 * the address bar, so that a reload works. A used token is worthless.
 */
function useLinkToken(): string {
  const [hash] = useHash({ getInitialValueInEffect: false })
  return new URLSearchParams(hash.slice(1)).get('token') ?? ''
}
