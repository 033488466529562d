import { PageHeader } from '../../components/page-header.tsx'

export function PlatformPage() {
  return <PageHeader title="Platform" />
}
