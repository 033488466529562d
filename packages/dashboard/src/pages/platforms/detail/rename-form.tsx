import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { type FormEvent, useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { TEXTS } from '../../../texts.ts'

/** Accepts the new name of a platform that was renamed. */
export function RenameForm({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, display_title } = platform
  const [name, setName] = useState(platform_name)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const refreshLive = useRefreshLive()

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    setIsBusy(true)
    setError(null)
    try {
      const body = { platform_name: name }
      await callHub(`/api/v1/platforms/${id}/rename`, { method: 'POST', body })
      await refreshLive()
      notify(`${display_title} has the new name ${name}.`)
    } catch (failure) {
      setError(failure)
    }
    setIsBusy(false)
  }

  return (
    <form onSubmit={(event) => void save(event)}>
      <Stack>
        <TextInput
          label={TEXTS.platformName}
          required
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {error !== null && <ErrorNotice error={error} title={TEXTS.nothingWasSaved} />}
        <Group>
          <Button type="submit" loading={isBusy} disabled={name === platform_name}>
            Accept the new name
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
