import type { PlatformDetails } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { HubKeyView } from './hub-key-view.tsx'

/** Shows the hub API key after the operator has entered their password again. */
export function RevealKey({
  platform,
  onClose,
}: {
  platform: PlatformDetails
  onClose: () => void
}) {
  const [key, setKey] = useState<string | null>(null)
  const title = `Hub API key of ${platform.display_title}`

  async function reveal(password: string): Promise<void> {
    const path = `/api/v1/platforms/${platform.id}/hub-key/reveal`
    const body = { password }
    setKey((await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })).hub_api_key)
  }

  if (key === null) {
    return (
      <PasswordDialog title={title} action="Reveal" onClose={onClose} onConfirm={reveal}>
        This will be logged.
      </PasswordDialog>
    )
  }
  return (
    <Dialog opened staysOpen onClose={onClose} title={title}>
      <HubKeyView value={key} onClose={onClose} />
    </Dialog>
  )
}
