import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { EmptyState } from './empty-state.tsx'
import { PageHeader } from './page-header.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<IconMapOff />}
        title="There is no such page"
        action={
          <Button component="a" href="/dashboard" variant="light">
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or what it showed is gone.
      </EmptyState>
    </>
  )
}
