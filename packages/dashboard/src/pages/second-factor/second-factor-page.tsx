import { Button, Stack } from '@mantine/core'
import { signOut } from '../../api/sign-out.ts'
import { attempt } from '../../components/confirm.tsx'
import { EntryFrame } from '../sign-in/entry-frame.tsx'
import { ChooseFactor } from './choose-factor.tsx'

/** Shown instead of any page if the session needs a second factor. */
export function SecondFactorPage({ missing }: { missing: 'set_up' | 'sign_in' }) {
  const hasFactor = missing === 'sign_in'
  return (
    <EntryFrame
      title={hasFactor ? 'Second factor required' : 'Set up two-factor authentication'}
      description={hasFactor ? SIGN_IN : SET_UP}
    >
      <Stack>
        {!hasFactor && <ChooseFactor />}
        <Button
          variant={hasFactor ? 'filled' : 'subtle'}
          onClick={() => attempt(() => signOut(signInPath()))}
        >
          {hasFactor ? 'Sign in again' : 'Sign out'}
        </Button>
      </Stack>
    </EntryFrame>
  )
}

const SET_UP =
  'This hub requires a second factor, so that your password alone does not give access. Choose one to continue.'
const SIGN_IN =
  'This hub requires a second factor. Sign in again with the code of your authenticator app, your passkey or single sign-on.'

/** The path of the sign-in page, which returns to the current page. */
function signInPath(): string {
  const next = `${location.pathname}${location.search}`
  return next === '/dashboard' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`
}
