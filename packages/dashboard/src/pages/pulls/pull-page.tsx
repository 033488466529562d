import { PageHeader } from '../../components/page-header.tsx'

export function PullPage() {
  return <PageHeader title="Pull" />
}
