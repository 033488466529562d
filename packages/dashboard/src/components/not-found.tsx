import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { TEXTS } from '../texts.ts'
import { EmptyState } from './empty-state.tsx'
import { PageHeader } from './page-header.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<IconMapOff />}
        title="This page does not exist"
        action={
          <Button component="a" href="/dashboard" variant="light">
            {TEXTS.goToOverview}
          </Button>
        }
      >
        Check the address. The content may have been deleted.
      </EmptyState>
    </>
  )
}
