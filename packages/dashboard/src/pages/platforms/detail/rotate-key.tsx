import { Button, Group, Select, Stack, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ShownKey } from './shown-key.tsx'

const GRACES = [
  { value: '0', label: 'It ends at once' },
  { value: '3600', label: 'One hour more' },
  { value: '86400', label: 'One day more' },
  { value: '604800', label: 'One week more' },
  { value: '2592000', label: '30 days more' },
]
const USUAL = '86400'

/** Makes a new hub API key; the old one goes on for a time that is chosen. */
export function RotateKey({
  platform,
  onClose,
}: {
  platform: PlatformDetails
  onClose: () => void
}) {
  const [grace, setGrace] = useState(USUAL)
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
      const answer = await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })
      setKey(answer.hub_api_key)
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
      title={key === null ? 'Rotate the hub API key?' : 'The new hub API key'}
      staysOpen={key !== null}
    >
      {key !== null ? (
        <ShownKey value={key} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            {platform.display_title} gets a new key. Choose how long the one it has goes on, so that
            its owner has time to put the new one in place.
          </Text>
          <Select
            label="The old key"
            data={GRACES}
            value={grace}
            allowDeselect={false}
            onChange={(value) => setGrace(value ?? USUAL)}
          />
          {grace === '0' && (
            <Text size="sm">
              Pushes with the old key are refused from then on, and are not kept.
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
              Make a new key
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
