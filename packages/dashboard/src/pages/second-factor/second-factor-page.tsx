import { Button, Stack } from '@mantine/core'
import { signOut } from '../../api/sign-out.ts'
import { attempt } from '../../components/confirm.tsx'
import { EntryFrame } from '../sign-in/entry-frame.tsx'
import { ChooseFactor } from './choose-factor.tsx'
import { TEXTS } from './texts.ts'

/** Shown instead of any page if the session needs a second factor. */
export function SecondFactorPage({ missing }: { missing: 'set_up' | 'sign_in' }) {
  const hasFactor = missing === 'sign_in'
  return (
    <EntryFrame
      title={hasFactor ? TEXTS.secondFactorRequired : TEXTS.setUpTwoFactor}
      description={hasFactor ? SIGN_IN : SET_UP}
    >
      <Stack>
        {!hasFactor && <ChooseFactor />}
        <Button
          variant={hasFactor ? 'filled' : 'subtle'}
          onClick={() => attempt(() => signOut(signInPath()))}
        >
          {hasFactor ? TEXTS.signInAgain : TEXTS.signOut}
        </Button>
      </Stack>
    </EntryFrame>
  )
}

const SET_UP = TEXTS.setUpHint
const SIGN_IN = TEXTS.signInAgainHint

/** The path of the sign-in page, which returns to the current page. */
function signInPath(): string {
  const next = `${location.pathname}${location.search}`
  return next === '/dashboard' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`
}
