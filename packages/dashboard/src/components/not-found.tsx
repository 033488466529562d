import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { TEXTS } from '../texts.ts'
import { EmptyState } from './empty-state.tsx'
import { PageHeader } from './page-header.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title={TEXTS.pageNotFound} />
      <EmptyState
        icon={<IconMapOff />}
        title={TEXTS.pageDoesNotExist}
        action={
          <Button component="a" href="/dashboard" variant="light">
            {TEXTS.goToOverview}
          </Button>
        }
      >
        {TEXTS.pageDoesNotExistHint}
      </EmptyState>
    </>
  )
}
