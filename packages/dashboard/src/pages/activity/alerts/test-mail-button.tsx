import { Button } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { attempt, tell } from '../../../components/confirm.tsx'
import { useStore } from '../../../lib/use-store.ts'

/** Shows an admin whether alerts reach their mailbox. */
export function TestMailButton() {
  const { operator } = useStore(session)
  const [isBusy, setIsBusy] = useState(false)
  if (!mayActAs(operator?.role, 'admin')) return null
  const send = async () => {
    setIsBusy(true)
    await attempt(async () => {
      const { message } = await callHub<{ message: string }>('/api/v1/alerts/test-mail', {
        method: 'POST',
      })
      tell(message)
    })
    setIsBusy(false)
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconMail size={14} />}
      loading={isBusy}
      onClick={() => void send()}
    >
      Send a test mail
    </Button>
  )
}
