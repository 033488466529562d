import { PageHeader } from '../../components/page-header.tsx'

export function SearchPage() {
  return <PageHeader title="Search" />
}
