import { Button, Stack } from '@mantine/core'
import { signOut } from '../../api/sign-out.ts'
import { attempt } from '../../components/confirm.tsx'
import { EntryFrame } from '../sign-in/entry-frame.tsx'
import { ChooseFactor } from './choose-factor.tsx'

/** Takes the place of every page where a password alone is not enough; what was to be seen comes after it. */
export function SecondFactorPage({ wanted }: { wanted: 'set_up' | 'sign_in' }) {
  const isThere = wanted === 'sign_in'
  return (
    <EntryFrame
      title={isThere ? 'Your password is not enough here' : 'Set up a second factor'}
      description={isThere ? SIGN_IN : SET_UP}
    >
      <Stack>
        {!isThere && <ChooseFactor />}
        <Button
          variant={isThere ? 'filled' : 'subtle'}
          onClick={() => attempt(() => signOut(signInPath()))}
        >
          {isThere ? 'Sign out, and in again' : 'Sign out'}
        </Button>
      </Stack>
    </EntryFrame>
  )
}

const SET_UP =
  'This hub takes more than a password, so that whoever has yours does not get in. Choose what you will sign in with from now on; then you go on.'
const SIGN_IN =
  'This hub takes more than a password. You came by yours alone, and have more: sign in with the code of your app, your passkey or single sign-on.'

/** The sign-in that leads back to where somebody was going. */
function signInPath(): string {
  const next = `${location.pathname}${location.search}`
  return next === '/dashboard' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`
}
