import type { PlatformDetails } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../../api/account.ts'
import { callHub } from '../../../api/call-hub.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { HubKeyView } from './hub-key-view.tsx'
import { TEXTS } from './texts.tsx'

/** Shows the hub API key after the operator has entered their password again. */
export function RevealKey({
  platform,
  onClose,
}: {
  platform: PlatformDetails
  onClose: () => void
}) {
  const [key, setKey] = useState<string | null>(null)
  const account = useQuery(accountQuery())
  const withPassword = account.data?.account.has_password ?? true
  const title = TEXTS.hubApiKeyOf(platform.display_title)

  async function reveal(password: string): Promise<void> {
    const path = `/api/v1/platforms/${platform.id}/hub-key/reveal`
    const body = withPassword ? { password } : {}
    setKey((await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })).hub_api_key)
  }

  if (key === null) {
    return (
      <PasswordDialog
        title={title}
        action={TEXTS.reveal}
        withPassword={withPassword}
        onClose={onClose}
        onConfirm={reveal}
      >
        {withPassword ? TEXTS.revealKeyHint : TEXTS.revealIsLogged}
      </PasswordDialog>
    )
  }
  return (
    <Dialog opened staysOpen onClose={onClose} title={title}>
      <HubKeyView value={key} onClose={onClose} />
    </Dialog>
  )
}
