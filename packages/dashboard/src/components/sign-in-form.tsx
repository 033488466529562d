import { Alert, Divider, Stack } from '@mantine/core'
import { useState } from 'react'
import { type SignInResult, signIn } from '../api/sign-in.ts'
import { SignInCode } from './sign-in-code.tsx'
import { SignInOthers } from './sign-in-others.tsx'
import { SignInPassword } from './sign-in-password.tsx'

/**
 * All ways to sign in; on the page of its own, and over a page whose session has ended. `next` is where
 * somebody goes after it; null where the page stays as it is.
 */
export function SignInForm({
  email,
  next,
  trouble: before = '',
  onSignedIn,
}: {
  email: string
  next: string | null
  /** What went wrong before the form was there. */
  trouble?: string
  onSignedIn: () => Promise<void>
}) {
  const [trouble, setTrouble] = useState(before)
  const [isHalfway, setHalfway] = useState(false)

  async function goOn(result: SignInResult): Promise<void> {
    setTrouble(result.outcome === 'refused' ? result.reason : '')
    if (result.outcome === 'code wanted') setHalfway(true)
    if (result.outcome === 'refused' && result.startOver) setHalfway(false)
    if (result.outcome === 'signed in') await onSignedIn()
  }

  return (
    <Stack>
      {trouble && (
        <Alert color="red" variant="light" role="alert">
          {trouble}
        </Alert>
      )}
      {isHalfway ? (
        <SignInCode onResult={goOn} onBack={() => setHalfway(false)} />
      ) : (
        <>
          <SignInPassword
            email={email}
            onSubmit={async (values) => {
              setTrouble('')
              await goOn(await signIn(values))
            }}
          />
          <SignInOthers
            next={next}
            before={<Divider label="or" />}
            onResult={goOn}
            onTrouble={setTrouble}
          />
        </>
      )}
    </Stack>
  )
}
