import { Button, List, Stack, Text } from '@mantine/core'
import type { PlatformDetails, PlatformRemovalPreview } from '@recordhub/protocol'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, notify } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { TypedConfirmation } from './typed-confirmation.tsx'

/** Removes the platform after a confirmation that lists the deleted data. */
export function RemovePlatform({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, display_title } = platform
  const [preview, setPreview] = useState<PlatformRemovalPreview | null>(null)
  const navigate = useNavigate()
  const refreshLive = useRefreshLive()
  const openPreview = () =>
    attempt(async () => {
      const path = `/api/v1/platforms/${id}/removal`
      setPreview((await callHub<{ removal: PlatformRemovalPreview }>(path)).removal)
    })

  async function remove(): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'DELETE', body: { platform_name } })
    notify(`${display_title} was removed. Its records are being deleted.`)
    await navigate({ to: '/dashboard/platforms' })
    await refreshLive()
  }

  return (
    <Stack align="flex-start">
      <Text size="sm">
        To stop receiving data temporarily, deactivate the platform instead. All data is kept.
      </Text>
      <Button
        color="red"
        variant="light"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => void openPreview()}
      >
        {`Remove ${display_title}`}
      </Button>
      {preview && (
        <TypedConfirmation
          title={`Remove ${display_title}?`}
          label="Type the platform name to confirm"
          name={platform_name}
          action="Delete permanently"
          onClose={() => setPreview(null)}
          onConfirm={remove}
        >
          <Text size="sm">This cannot be undone. This deletes:</Text>
          <List size="sm">
            <List.Item>{`${formatCount(preview.records, 'record')} with their history, in the background`}</List.Item>
            <List.Item>
              {formatCount(preview.rejected_pushes, 'rejected push', 'rejected pushes')}
            </List.Item>
            <List.Item>
              {`${formatCount(preview.hub_api_keys, 'hub API key')} and the source API key, immediately`}
            </List.Item>
            <List.Item>{formatCount(preview.modules, 'module')}</List.Item>
          </List>
          <Text size="sm">The activity log and the audit log are kept.</Text>
        </TypedConfirmation>
      )}
    </Stack>
  )
}
