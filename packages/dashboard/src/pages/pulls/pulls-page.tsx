import { PageHeader } from '../../components/page-header.tsx'

export function PullsPage() {
  return <PageHeader title="Pulls" />
}
