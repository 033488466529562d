import { PageHeader } from '../../components/page-header.tsx'

export function PlatformsPage() {
  return <PageHeader title="Platforms" />
}
