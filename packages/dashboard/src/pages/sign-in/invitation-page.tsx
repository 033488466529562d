import { PageHeader } from '../../components/page-header.tsx'

export function InvitationPage() {
  return <PageHeader title="Invitation" />
}
