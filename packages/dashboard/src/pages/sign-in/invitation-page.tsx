import { Skeleton, Stack } from '@mantine/core'
import type { Role } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { invitationQuery } from '../../api/sign-in.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { AcceptForm } from './accept-form.tsx'
import { EntryFrame } from './entry-frame.tsx'

/** Where the link of an invitation leads. */
export function InvitationPage() {
  const token = useLinkToken()
  const invited = useQuery(invitationQuery(token))
  if (invited.isError) {
    return (
      <EntryFrame title="Invitation">
        <ErrorNotice error={invited.error} title="This link opens nothing" />
      </EntryFrame>
    )
  }
  if (!invited.data) {
    return (
      <EntryFrame title="Invitation">
        <Stack aria-busy="true" aria-label="Loading">
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
      title="Welcome"
      description={`You are invited to this hub with the role ${role}. ${RIGHTS[role]}`}
    >
      <AcceptForm key={token} token={token} email={email} />
    </EntryFrame>
  )
}

const RIGHTS: Readonly<Record<Role, string>> = {
  viewer: 'You can read everything that it gathers.',
  operator: 'You can work with platforms, pulls and records.',
  admin: 'You may do everything, and manage the operators.',
}
