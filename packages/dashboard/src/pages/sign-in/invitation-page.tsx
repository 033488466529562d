import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { invitationQuery } from '../../api/sign-in.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ROLE_DESCRIPTIONS } from '../../lib/roles.ts'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { AcceptForm } from './accept-form.tsx'
import { EntryFrame } from './entry-frame.tsx'
import { TEXTS } from './texts.ts'

/** The page of an invitation link. */
export function InvitationPage() {
  const token = useLinkToken()
  const invited = useQuery(invitationQuery(token))
  if (invited.isError) {
    return (
      <EntryFrame title={TEXTS.invitation}>
        <ErrorNotice error={invited.error} title={TEXTS.invalidInvitationLink} />
      </EntryFrame>
    )
  }
  if (!invited.data) {
    return (
      <EntryFrame title={TEXTS.invitation}>
        <Stack aria-busy="true" aria-label={TEXTS.loading}>
          <Skeleton height={36} />
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      </EntryFrame>
    )
  }
  const { email, role } = invited.data
  return (
    <EntryFrame
      title={TEXTS.welcome}
      description={TEXTS.invitationDescription(role, ROLE_DESCRIPTIONS[role])}
    >
      <AcceptForm key={token} token={token} email={email} />
    </EntryFrame>
  )
}
