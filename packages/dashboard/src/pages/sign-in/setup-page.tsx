import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import { useLinkToken } from '../../lib/use-link-token.ts'
import { EntryFrame } from './entry-frame.tsx'
import { NewAccountForm } from './new-account-form.tsx'
import { RestoreForm } from './restore-form.tsx'
import { NoOperator } from './sign-in-page.tsx'

/** The setup page of the first run, opened by the one-time link in the log of the hub. */
export function SetupPage() {
  const token = useLinkToken()
  const [isRestoring, setIsRestoring] = useState(false)
  if (token === '') return <NoOperator />
  if (isRestoring) return <RestoreForm token={token} onCancel={() => setIsRestoring(false)} />
  return (
    <EntryFrame
      title="Welcome"
      description="Create the first operator of this hub, with full access. You can invite others later."
    >
      <NewAccountForm path="/setup" token={token} />
      <Button
        variant="default"
        leftSection={<IconHistory size={16} aria-hidden />}
        onClick={() => setIsRestoring(true)}
      >
        Restore a backup
      </Button>
    </EntryFrame>
  )
}
