import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { type FormEvent, useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { ShownKey } from './shown-key.tsx'

/** Shows the hub API key to whoever gives the own password once more. */
export function RevealKey({
  platform,
  onClose,
}: {
  platform: PlatformDetails
  onClose: () => void
}) {
  const [password, setPassword] = useState('')
  const [key, setKey] = useState<string | null>(null)
  const [trouble, setTrouble] = useState('')
  const [isBusy, setIsBusy] = useState(false)

  async function reveal(event: FormEvent): Promise<void> {
    event.preventDefault()
    setIsBusy(true)
    setTrouble('')
    try {
      const path = `/api/v1/platforms/${platform.id}/hub-key/reveal`
      const body = { password }
      const answer = await callHub<{ hub_api_key: string }>(path, { method: 'POST', body })
      setKey(answer.hub_api_key)
    } catch (error) {
      setTrouble(wordsOf(error))
    }
    setPassword('')
    setIsBusy(false)
  }

  return (
    <Modal opened onClose={onClose} title={`Hub API key of ${platform.display_title}`}>
      {key !== null ? (
        <ShownKey value={key} onClose={onClose} />
      ) : (
        <form onSubmit={(event) => void reveal(event)}>
          <Stack>
            <Text size="sm">Give your own password once more. That you look is written down.</Text>
            <PasswordInput
              label="Your password"
              required
              data-autofocus
              autoComplete="current-password"
              error={trouble}
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy}>
                Reveal
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
