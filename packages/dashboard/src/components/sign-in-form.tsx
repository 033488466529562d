import {
  Anchor,
  Button,
  Code,
  Divider,
  Group,
  PasswordInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type SignInResult, sendCode, signIn } from '../api/sign-in.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { SIGN_IN_ERRORS, TEXTS } from '../texts.ts'
import { FormError } from './form-error.tsx'
import { SignInAlternatives } from './sign-in-alternatives.tsx'

const CODE_DIGITS = 6
/** Whether a password was wrong; after it, the message may say how many attempts are left. */
const isWrongPassword = (reason: string) =>
  reason.startsWith(SIGN_IN_ERRORS['invalid_email_or_password'] ?? ' ')

/**
 * All sign-in methods, for the sign-in page and for the dialog after a session has ended. `next` is the page to open
 * after the sign-in; null if the current page stays.
 */
export function SignInForm(props: {
  email: string
  next: string | null
  /** An error of an earlier attempt. */
  error?: string
  /** Renders a step of the sign-in. */
  frame: (step: { title: string; description?: string; content: ReactNode }) => ReactNode
  onSignedIn: () => Promise<void>
}) {
  const { email: initialEmail, next, error: initialError = '', frame, onSignedIn } = props
  const [error, setError] = useState(initialError)
  const [email, setEmail] = useState(initialEmail)
  const [needsCode, setNeedsCode] = useState(false)
  const [kind, setKind] = useState<'app' | 'recovery'>('app')

  async function handleResult(result: SignInResult): Promise<void> {
    setError(result.outcome === 'rejected' ? result.reason : '')
    if (result.outcome === 'code_required') setNeedsCode(true)
    if (result.outcome === 'rejected' && result.startOver) setNeedsCode(false)
    if (result.outcome === 'signed_in') await onSignedIn()
  }

  const notice = <FormError message={error} />
  if (needsCode) {
    const isApp = kind === 'app'
    const link = (text: string, onClick: () => void) => (
      <Anchor component="button" type="button" size="sm" onClick={onClick}>
        {text}
      </Anchor>
    )
    return frame({
      title: 'Second factor',
      description: isApp
        ? `The six digits from your authenticator app, for ${email}.`
        : `One of your recovery codes, for ${email}. Each code works once.`,
      content: (
        <Stack>
          {notice}
          <SignInCode key={kind} isApp={isApp} onResult={handleResult} />
          <Group justify="space-between">
            {link(isApp ? 'Use a recovery code' : 'Use the authenticator app', () =>
              setKind(isApp ? 'recovery' : 'app'),
            )}
            {link('Start again', () => {
              setNeedsCode(false)
              setError('')
            })}
          </Group>
        </Stack>
      ),
    })
  }
  return frame({
    title: TEXTS.signIn,
    content: (
      <Stack>
        {notice}
        <SignInPassword
          email={email}
          isWrong={isWrongPassword(error)}
          onSubmit={async (values) => {
            setError('')
            setEmail(values.email)
            const result = await signIn(values)
            await handleResult(result)
            return result
          }}
        />
        <SignInAlternatives
          next={next}
          before={<Divider label="or" />}
          onResult={handleResult}
          onError={setError}
        />
      </Stack>
    ),
  })
}

/** The form for e-mail and password. */
function SignInPassword(props: {
  email: string
  isWrong: boolean
  onSubmit: (values: { email: string; password: string }) => Promise<SignInResult>
}) {
  const { email, isWrong, onSubmit: signInWith } = props
  const [password, setPassword] = useState('')
  const { isBusy, onSubmit } = useSubmit(async (field) => {
    const result = await signInWith({ email: field('email'), password })
    if (result.outcome === 'rejected' && isWrongPassword(result.reason)) setPassword('')
  })
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          name="email"
          label={TEXTS.eMail}
          type="email"
          required
          autoComplete="username"
          defaultValue={email}
          data-autofocus={email === '' || undefined}
        />
        <PasswordInput
          name="password"
          label={TEXTS.password}
          required
          autoComplete="current-password"
          description={
            isWrong && (
              <>
                Forgotten? On the machine of the hub, <Code>recordhub operator reset-password</Code>{' '}
                sets a new one.
              </>
            )
          }
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          data-autofocus={email !== '' || undefined}
        />
        <Button type="submit" loading={isBusy}>
          {TEXTS.signIn}
        </Button>
      </Stack>
    </form>
  )
}

/** The second factor: a code of an authenticator app, or a recovery code. */
function SignInCode(props: { isApp: boolean; onResult: (result: SignInResult) => Promise<void> }) {
  const { isApp, onResult } = props
  const [code, setCode] = useState('')
  const formRef = useRef<HTMLFormElement>(null)
  const digits = code.replaceAll(' ', '').length
  const isComplete = isApp ? digits >= CODE_DIGITS : digits > 0
  useEffect(() => {
    if (isApp && isComplete) formRef.current?.requestSubmit()
  }, [isApp, isComplete])
  const { isBusy, onSubmit } = useSubmit(async () => {
    await onResult(await sendCode(code, isApp ? 'app' : 'recovery'))
    setCode('')
  })
  return (
    <form onSubmit={onSubmit} ref={formRef}>
      <Stack>
        <TextInput
          label={isApp ? 'Code' : 'Recovery code'}
          description={isApp && 'Sent by itself after the sixth digit.'}
          required
          autoFocus
          autoComplete={isApp ? 'one-time-code' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          inputMode={isApp ? 'numeric' : 'text'}
          placeholder={isApp ? '' : '2kf7-9xq3-…'}
          styles={isApp ? APP_CODE : RECOVERY_CODE}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Button type="submit" loading={isBusy} disabled={!isComplete}>
          {TEXTS.continue}
        </Button>
      </Stack>
    </form>
  )
}

const MONOSPACE = 'var(--mantine-font-family-monospace)'
const RECOVERY_CODE = { input: { fontFamily: MONOSPACE } }
const APP_CODE = {
  input: {
    fontFamily: MONOSPACE,
    fontWeight: 500,
    height: '2.75rem',
    fontSize: 'var(--mantine-font-size-xl)',
    letterSpacing: '0.32em',
    textAlign: 'center',
  },
} as const
