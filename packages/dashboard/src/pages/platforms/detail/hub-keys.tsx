import { Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { HubKey, PlatformDetails } from '@recordhub/protocol'
import { IconEye, IconRotate } from '@tabler/icons-react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { Time } from '../../../components/time.tsx'
import { RevealKey } from './reveal-key.tsx'
import { RotateKey } from './rotate-key.tsx'

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
            <KeyLine hubKey={key} />
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

function KeyLine({ hubKey: { hint, created_at, expires_at, last_used_at } }: { hubKey: HubKey }) {
  return (
    <>
      <Code>{hint}</Code>
      <Text size="sm" c="dimmed" component="div">
        Created <Time at={created_at} />,{' '}
        {last_used_at === null ? (
          'no accepted push yet'
        ) : (
          <>
            last accepted push <Time at={last_used_at} />
          </>
        )}
        {expires_at !== null && (
          <>
            , valid until <Time at={expires_at} />
          </>
        )}
        .
      </Text>
    </>
  )
}
