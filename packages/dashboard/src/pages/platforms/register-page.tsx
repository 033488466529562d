import { PageHeader } from '../../components/page-header.tsx'

export function RegisterPage() {
  return <PageHeader title="Register a platform" />
}
