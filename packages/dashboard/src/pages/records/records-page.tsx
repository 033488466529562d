import { PageHeader } from '../../components/page-header.tsx'

export function RecordsPage() {
  return <PageHeader title="Records" />
}
