import { SignInForm } from '../../components/sign-in-form.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { EntryFrame } from './entry-frame.tsx'

export function SignInPage() {
  const [{ next = '' }] = useUrlState()
  return (
    <EntryFrame title="Sign in">
      <SignInForm email="" onSignedIn={async () => location.assign(pathWithin(next))} />
    </EntryFrame>
  )
}

/** Where somebody was going; never to another site. */
function pathWithin(next: string): string {
  return /^\/dashboard(?:[/?#]|$)/.test(next) ? next : '/dashboard'
}
