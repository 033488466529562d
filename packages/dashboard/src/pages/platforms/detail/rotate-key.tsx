import { Button, Group, Select, Stack, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { HubKeyView } from './hub-key-view.tsx'
import { TEXTS } from './texts.tsx'

const GRACES = [
  { value: '0', label: TEXTS.expiresImmediately },
  { value: '3600', label: TEXTS.oneHour },
  { value: '86400', label: TEXTS.oneDay },
  { value: '604800', label: TEXTS.oneWeek },
  { value: '2592000', label: TEXTS.thirtyDays },
]
const DEFAULT_GRACE = '86400'

/** Creates a new hub API key. The old one stays valid for the selected time. */
export function RotateKey({
  platform,
  onClose,
}: {
  platform: PlatformDetails
  onClose: () => void
}) {
  const [grace, setGrace] = useState(DEFAULT_GRACE)
  const [key, setKey] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const refreshLive = useRefreshLive()

  async function rotate(): Promise<void> {
    setIsBusy(true)
    setError(null)
    try {
      const path = `/api/v1/platforms/${platform.id}/hub-key/rotate`
      const body = { grace_seconds: Number(grace) }
      const rotated = await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })
      setKey(rotated.hub_api_key)
      await refreshLive()
    } catch (failure) {
      setError(failure)
    }
    setIsBusy(false)
  }

  return (
    <Dialog
      opened
      onClose={onClose}
      title={key === null ? TEXTS.rotateHubApiKey : TEXTS.newHubApiKey}
      staysOpen={key !== null}
    >
      {key !== null ? (
        <HubKeyView value={key} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">{TEXTS.rotateKeyHint(platform.display_title)}</Text>
          <Select
            label={TEXTS.oldKeyValidity}
            data={GRACES}
            value={grace}
            allowDeselect={false}
            onChange={(value) => setGrace(value ?? DEFAULT_GRACE)}
          />
          {grace === '0' && <Text size="sm">{TEXTS.oldKeyExpiresHint}</Text>}
          {error !== null && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button
              color={grace === '0' ? 'red' : 'harbour'}
              loading={isBusy}
              onClick={() => void rotate()}
            >
              {TEXTS.createNewKey}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
