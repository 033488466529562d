import { Button, Group, Select, Stack, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { HubKeyView } from './hub-key-view.tsx'

const GRACES = [
  { value: '0', label: 'Expires immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
  { value: '2592000', label: '30 days' },
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
      title={key === null ? 'Rotate the hub API key?' : 'New hub API key'}
      staysOpen={key !== null}
    >
      {key !== null ? (
        <HubKeyView value={key} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            {platform.display_title} gets a new key. The old key can stay valid until the owner of
            the platform has configured the new one.
          </Text>
          <Select
            label="How long the old key stays valid"
            data={GRACES}
            value={grace}
            allowDeselect={false}
            onChange={(value) => setGrace(value ?? DEFAULT_GRACE)}
          />
          {grace === '0' && (
            <Text size="sm">
              Pushes with the old key are rejected immediately and are not saved.
            </Text>
          )}
          {error !== null && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              color={grace === '0' ? 'red' : 'harbour'}
              loading={isBusy}
              onClick={() => void rotate()}
            >
              Create new key
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
