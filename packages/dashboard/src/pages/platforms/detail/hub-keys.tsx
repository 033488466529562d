import { Button, Code, Group, Input, List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { HubKey, PlatformDetails } from '@recordhub/protocol'
import { IconEye, IconRotate } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { PasswordAgainInput } from '../../../components/current-password-input.tsx'
import { Dialog, DialogFooter } from '../../../components/dialog.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { Time } from '../../../components/time.tsx'
import { formatTime } from '../../../lib/format.ts'
import { TEXTS } from '../../../texts.ts'

/** The valid hub API keys of the platform, with buttons to reveal the newest and to rotate it. */
export function HubKeys({ platform }: { platform: PlatformDetails }) {
  const [isRevealing, reveal] = useDisclosure(false)
  const [isRotating, rotate] = useDisclosure(false)
  const refreshLive = useRefreshLive()
  const hasOld = platform.hub_keys.some(({ expires_at }) => expires_at !== null)
  const endOld = () =>
    confirm({
      title: 'End the old hub API key now?',
      children: `Pushes of ${platform.display_title} with the old key are rejected from now on, and the platform loses changes if it does not have the new key yet. The new key stays valid. This cannot be undone.`,
      action: 'End old key',
      async onConfirm() {
        await callHub(`/api/v1/platforms/${platform.id}/hub-key/previous`, { method: 'DELETE' })
        await refreshLive()
        notify('The old hub API key is no longer valid.')
      },
    })
  return (
    <Stack>
      <List listStyleType="none" spacing="xs" aria-label="Valid keys">
        {platform.hub_keys.map((key) => (
          <List.Item key={`${key.hint} ${key.created_at}`}>
            <KeyLine {...key} />
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconEye size={16} aria-hidden />}
          onClick={reveal.open}
        >
          Reveal key
        </Button>
        <Button
          variant="default"
          leftSection={<IconRotate size={16} aria-hidden />}
          onClick={rotate.open}
        >
          Rotate key
        </Button>
        {hasOld && (
          <Button variant="subtle" color="red" onClick={endOld}>
            End old key
          </Button>
        )}
      </Group>
      {isRevealing && <RevealKey platform={platform} onClose={reveal.close} />}
      {isRotating && <RotateKey platform={platform} onClose={rotate.close} />}
    </Stack>
  )
}

function KeyLine({ hint, created_at, expires_at, last_used_at }: HubKey) {
  return (
    <>
      <Code>{hint}</Code>
      <Text size="sm" c="dimmed" component="div">
        Created <Time at={created_at} />, {last_used_at ? 'last' : 'no'} accepted push{' '}
        {last_used_at ? <Time at={last_used_at} /> : 'yet'}
        {expires_at && ', valid until '}
        {expires_at && <Time at={expires_at} />}.
      </Text>
    </>
  )
}

/** Shows the hub API key after the operator has entered their password again. */
function RevealKey({ platform, onClose }: { platform: PlatformDetails; onClose: () => void }) {
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
  return <HubKeyDialog title={title} value={key} onClose={onClose} />
}

const GRACES = [
  { value: '0', label: 'no time' },
  { value: '3600', label: '1 h' },
  { value: '86400', label: '1 d' },
  { value: '604800', label: '7 d' },
  { value: '2592000', label: '30 d' },
]

/** Creates a new hub API key. The old one stays valid for the selected time. */
function RotateKey({ platform, onClose }: { platform: PlatformDetails; onClose: () => void }) {
  const [key, setKey] = useState<string | null>(null)
  const refreshLive = useRefreshLive()
  const form = useForm({ mode: 'controlled', initialValues: { grace: '86400', password: '' } })
  const grace_seconds = Number(form.getValues().grace)
  if (key !== null) return <HubKeyDialog title="New hub API key" value={key} onClose={onClose} />
  return (
    <FormDialog
      form={form}
      title={`Rotate the hub API key of ${platform.display_title}`}
      action="Rotate the key"
      danger={grace_seconds === 0}
      onClose={onClose}
      onSubmit={async ({ password }) => {
        const path = `/api/v1/platforms/${platform.id}/hub-key/rotate`
        const body = { grace_seconds, password }
        setKey((await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })).hub_api_key)
        await refreshLive()
      }}
    >
      <Input.Wrapper
        label="The old key works for"
        labelElement="div"
        labelProps={{ display: 'block' }}
        descriptionProps={{ mt: 4 }}
        description={
          grace_seconds === 0
            ? 'Pushes with the old key are rejected immediately and are not saved.'
            : `Until ${formatTime(new Date(Date.now() + 1000 * grace_seconds).toISOString())}. Both keys work until then; you can end the old one earlier.`
        }
      >
        <SegmentedControl
          size="xs"
          aria-label="The old key works for"
          data={GRACES}
          {...form.getInputProps('grace')}
        />
      </Input.Wrapper>
      <PasswordAgainInput {...form.getInputProps('password')} />
    </FormDialog>
  )
}

/** A hub API key in clear text, with a copy button. */
function HubKeyDialog(props: { title: string; value: string; onClose: () => void }) {
  const { title, value, onClose } = props
  return (
    <Dialog opened staysOpen onClose={onClose} title={title}>
      <Stack>
        <Code block aria-label={TEXTS.hubApiKey} fz="sm">
          {value}
        </Code>
        <Text size="sm" c="dimmed">
          Give it to this platform only. This was logged.
        </Text>
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {TEXTS.done}
          </Button>
          <CopyButton value={value} label="Copy hub API key" text={TEXTS.copyKey} isPrimary />
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}
