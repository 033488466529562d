import {
  Alert,
  Anchor,
  Button,
  Divider,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { type SignInResult, sendCode, signIn } from '../api/sign-in.ts'
import { TEXTS } from '../texts.ts'
import { SignInAlternatives } from './sign-in-alternatives.tsx'

/**
 * All sign-in methods, for the sign-in page and for the dialog after a session has ended. `next` is the page to open
 * after the sign-in; null if the current page stays.
 */
export function SignInForm({
  email,
  next,
  error: initialError = '',
  onSignedIn,
}: {
  email: string
  next: string | null
  /** An error of an earlier attempt. */
  error?: string
  onSignedIn: () => Promise<void>
}) {
  const [error, setError] = useState(initialError)
  const [needsCode, setNeedsCode] = useState(false)

  async function handleResult(result: SignInResult): Promise<void> {
    setError(result.outcome === 'rejected' ? result.reason : '')
    if (result.outcome === 'code_required') setNeedsCode(true)
    if (result.outcome === 'rejected' && result.startOver) setNeedsCode(false)
    if (result.outcome === 'signed_in') await onSignedIn()
  }

  return (
    <Stack>
      {error && (
        <Alert color="red" variant="light" role="alert">
          {error}
        </Alert>
      )}
      {needsCode ? (
        <SignInCode onResult={handleResult} onBack={() => setNeedsCode(false)} />
      ) : (
        <>
          <SignInPassword
            email={email}
            onSubmit={async (values) => {
              setError('')
              await handleResult(await signIn(values))
            }}
          />
          <SignInAlternatives
            next={next}
            before={<Divider label={TEXTS.or} />}
            onResult={handleResult}
            onError={setError}
          />
        </>
      )}
    </Stack>
  )
}

/** The form for e-mail and password. */
function SignInPassword({
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
          label={TEXTS.eMail}
          type="email"
          required
          autoComplete="username"
          data-autofocus={email === '' || undefined}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={TEXTS.password}
          required
          autoComplete="current-password"
          data-autofocus={email !== '' || undefined}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting}>
          {TEXTS.signIn}
        </Button>
      </Stack>
    </form>
  )
}

/** The second factor: a code of an authenticator app, or a recovery code. */
function SignInCode({
  onResult,
  onBack,
}: {
  onResult: (result: SignInResult) => Promise<void>
  onBack: () => void
}) {
  const [kind, setKind] = useState<'app' | 'recovery'>('app')
  const form = useForm({ mode: 'controlled', initialValues: { code: '' } })
  const isApp = kind === 'app'

  function change(): void {
    setKind(isApp ? 'recovery' : 'app')
    form.setFieldValue('code', '')
  }

  const submit = form.onSubmit(async ({ code }) => {
    await onResult(await sendCode(code, kind))
    form.setFieldValue('code', '')
  })

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{isApp ? TEXTS.enterAppCode : TEXTS.enterRecoveryCode}</Text>
        <TextInput
          key={kind}
          label={isApp ? TEXTS.code : TEXTS.recoveryCode}
          required
          autoFocus
          autoComplete={isApp ? 'one-time-code' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          inputMode={isApp ? 'numeric' : 'text'}
          placeholder={isApp ? '123456' : '2kf7-9xq3-…'}
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={form.submitting}>
          {TEXTS.continue}
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {isApp ? TEXTS.useRecoveryCode : TEXTS.useAuthenticatorApp}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            {TEXTS.back}
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
