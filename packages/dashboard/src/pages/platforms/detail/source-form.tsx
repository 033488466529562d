import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import type { PlatformChange, PlatformDetails } from '@recordhub/protocol'
import { type FormEvent, useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { TEXTS } from '../../../texts.ts'

/** The base URL and the source API key of the platform. */
export function SourceForm({ platform }: { platform: PlatformDetails }) {
  const { id, source_base_url } = platform
  const [url, setUrl] = useState(source_base_url)
  const [key, setKey] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const refreshLive = useRefreshLive()
  const isMoved = originOf(url) !== originOf(source_base_url)
  const isChanged = url !== source_base_url || key !== ''

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    setIsBusy(true)
    setError(null)
    const body: PlatformChange = {
      ...(url === source_base_url ? {} : { source_base_url: url }),
      ...(key === '' ? {} : { source_api_key: key }),
    }
    try {
      const path = `/api/v1/platforms/${id}`
      const saved = await callHub<{ platform: { source_base_url: string } }>(path, {
        method: 'PATCH',
        body,
      })
      setUrl(saved.platform.source_base_url)
      setKey('')
      await refreshLive()
      notify('The connection works. The change was saved.')
    } catch (failure) {
      setError(failure)
    }
    setIsBusy(false)
  }

  return (
    <form onSubmit={(event) => void save(event)}>
      <Stack>
        <TextInput
          label={TEXTS.sourceBaseUrl}
          type="url"
          required
          autoComplete="off"
          spellCheck={false}
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <PasswordInput
          label="New source API key"
          description={
            isMoved
              ? 'The stored key is only sent to the scheme, host and port that it was entered for. Enter the key for the new address.'
              : 'Leave empty to keep the stored key, which is never shown.'
          }
          required={isMoved}
          autoComplete="off"
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        {error !== null && <ErrorNotice error={error} title={TEXTS.nothingWasSaved} />}
        <Group>
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            Test and save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The scheme, host and port of a URL, for which the hub has stored the key; undefined while it is not a URL. */
function originOf(url: string): string | undefined {
  return URL.parse(url.trim())?.origin
}
