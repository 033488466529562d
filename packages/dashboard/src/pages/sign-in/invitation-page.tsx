import { Divider, Skeleton } from '@mantine/core'
import { useState } from 'react'
import { useInvitation } from '../../api/sign-in.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FormError } from '../../components/form-error.tsx'
import { SignInAlternatives } from '../../components/sign-in-alternatives.tsx'
import { ROLE_DESCRIPTIONS } from '../../lib/roles.ts'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { TEXTS } from '../../texts.ts'
import { EntryFrame } from './entry-frame.tsx'
import { NewAccountForm } from './new-account-form.tsx'

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
