import { singleSignOnError } from '../../api/sign-in.ts'
import { SignInForm } from '../../components/sign-in-form.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { EntryFrame } from './entry-frame.tsx'
import { TEXTS } from './texts.ts'

export function SignInPage() {
  const [{ next = '', error = '' }] = useUrlState()
  const target = pathWithin(next)
  return (
    <EntryFrame title={TEXTS.signIn}>
      <SignInForm
        email=""
        next={target}
        error={error === '' ? '' : singleSignOnError(error)}
        onSignedIn={async () => location.assign(target)}
      />
    </EntryFrame>
  )
}

/** The page to open after the sign-in; never another site. */
function pathWithin(next: string): string {
  return /^\/dashboard(?:[/?#]|$)/.test(next) ? next : '/dashboard'
}
