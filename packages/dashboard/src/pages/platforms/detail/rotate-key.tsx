import { Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { PlatformDetails } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { PasswordAgainInput } from '../../../components/password-again-input.tsx'
import { TEXTS } from '../../../texts.ts'
import { HubKeyView } from './hub-key-view.tsx'

const GRACES = [
  { value: '0', label: 'Expires immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
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
  const [errorText, setErrorText] = useState('')
  const [key, setKey] = useState<string | null>(null)
  const refreshLive = useRefreshLive()
  const form = useForm({
    mode: 'controlled',
    initialValues: { grace: DEFAULT_GRACE, password: '' },
  })
  const endsNow = form.getValues().grace === '0'
  const submit = form.onSubmit(async ({ grace, password }) => {
    setErrorText('')
    try {
      const path = `/api/v1/platforms/${platform.id}/hub-key/rotate`
      const body = { grace_seconds: Number(grace), password }
      const rotated = await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })
      setKey(rotated.hub_api_key)
      await refreshLive()
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })

  if (key !== null) {
    return (
      <Dialog opened staysOpen onClose={onClose} title="New hub API key">
        <HubKeyView value={key} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title="Rotate the hub API key?">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{`${platform.display_title} gets a new key. The old key can stay valid until the owner of the platform has configured the new one.`}</Text>
          <Select
            label="How long the old key stays valid"
            data={GRACES}
            allowDeselect={false}
            {...form.getInputProps('grace')}
          />
          {endsNow && (
            <Text size="sm">
              Pushes with the old key are rejected immediately and are not saved.
            </Text>
          )}
          <PasswordAgainInput {...form.getInputProps('password')} />
          <FormActions
            error={errorText}
            action="Create new key"
            isBusy={form.submitting}
            danger={endsNow}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
