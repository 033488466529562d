import { Button, Paper, PasswordInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import type { PlatformChange, PlatformDetails, PlatformRemovalPreview } from '@recordhub/protocol'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Losses } from '../../../components/losses.tsx'
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx'
import { useAction } from '../../../lib/use-action.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { HubKeys } from './hub-keys.tsx'

/** Status, keys and address of the platform, and its removal. */
export function SettingsTab({ platform }: { platform: PlatformDetails }) {
  const canOperate = useHasRole('operator')
  if (!canOperate) {
    return (
      <EmptyState title={TEXTS.requiresOperatorRole}>
        Viewers cannot change the settings of a platform or see its keys.
      </EmptyState>
    )
  }
  return (
    <Stack maw={820}>
      <Section title={TEXTS.status}>
        <StatusSwitch platform={platform} />
      </Section>
      <Section
        title={TEXTS.hubApiKey}
        description="The platform sends it in X-API-KEY when it pushes. Give it to this platform only."
      >
        <HubKeys platform={platform} />
      </Section>
      <Section
        title="Address and source API key"
        description="How the hub calls the platform. Changes are tested before they are saved."
      >
        <SourceForm platform={platform} />
      </Section>
      <Section
        title={TEXTS.platformName}
        description="If the platform was renamed, enter the name that its manifest has now. Its records, history and keys stay."
      >
        <RenameForm key={platform.platform_name} platform={platform} />
      </Section>
      <Section title="Remove platform">
        <RemovePlatform platform={platform} />
      </Section>
    </Stack>
  )
}

type SectionProps = { title: string; description?: string; children: ReactNode }

function Section({ title, description, children }: SectionProps) {
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'lg' }} component="section">
      <Title order={2} fz="h4" mb={description ? 2 : 'sm'}>
        {title}
      </Title>
      {description && (
        <Text size="sm" c="dimmed" mb="sm">
          {description}
        </Text>
      )}
      {children}
    </Paper>
  )
}

/** Activates and deactivates a platform. */
function StatusSwitch({ platform: { id, display_title, status } }: { platform: PlatformDetails }) {
  const refreshLive = useRefreshLive()

  async function change(newStatus: 'active' | 'inactive'): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'PATCH', body: { status: newStatus } })
    await refreshLive()
    notify(`${display_title} is ${newStatus}.`)
  }

  return (
    <Switch
      label={TEXTS.active}
      description={
        status === 'active'
          ? 'The platform is pulled and can push.'
          : 'The platform is not pulled, and its pushes are rejected.'
      }
      checked={status === 'active'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void attempt(() => change('active'))
        else {
          confirm({
            title: `Deactivate ${display_title}?`,
            action: 'Deactivate',
            children:
              'Its pushes are rejected and not saved, and it is no longer pulled. Its records are kept.',
            onConfirm: () => change('inactive'),
          })
        }
      }}
    />
  )
}

/** Accepts the new name of a platform that was renamed. */
function RenameForm({ platform }: { platform: PlatformDetails }) {
  const { id, platform_name, display_title } = platform
  const [name, setName] = useState(platform_name)
  const refreshLive = useRefreshLive()

  async function save(): Promise<void> {
    const body = { platform_name: name }
    await callHub(`/api/v1/platforms/${id}/rename`, { method: 'POST', body })
    await refreshLive()
    notify(`${display_title} has the new name ${name}.`)
  }

  return (
    <SavedForm action="Accept the new name" isChanged={name !== platform_name} onSave={save}>
      <TextInput
        label={TEXTS.platformName}
        required
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </SavedForm>
  )
}

/** The base URL and the source API key of the platform. */
function SourceForm({ platform: { id, source_base_url } }: { platform: PlatformDetails }) {
  const [url, setUrl] = useState(source_base_url)
  const [key, setKey] = useState('')
  const refreshLive = useRefreshLive()
  const isMoved = originOf(url) !== originOf(source_base_url)

  async function save(): Promise<void> {
    const body: PlatformChange = {
      ...(url === source_base_url ? {} : { source_base_url: url }),
      ...(key === '' ? {} : { source_api_key: key }),
    }
    const call = { method: 'PATCH', body } as const
    const path = `/api/v1/platforms/${id}`
    const { platform } = await callHub<{ platform: { source_base_url: string } }>(path, call)
    setUrl(platform.source_base_url)
    setKey('')
    await refreshLive()
    notify('The connection works. The change was saved.')
  }

  return (
    <SavedForm
      action="Test and save"
      isChanged={url !== source_base_url || key !== ''}
      onSave={save}
    >
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
    </SavedForm>
  )
}

/** The scheme, host and port of a URL, for which the hub has stored the key; undefined while it is not a URL. */
function originOf(url: string): string | undefined {
  return URL.parse(url.trim())?.origin
}

/** A form with its own button, and the error if nothing was saved. */
function SavedForm(props: {
  action: string
  isChanged: boolean
  children: ReactNode
  onSave: () => Promise<void>
}) {
  const { action, isChanged, children, onSave } = props
  const { isBusy, error, run } = useAction()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(onSave)
      }}
    >
      <Stack>
        {children}
        {error !== null && <ErrorNotice error={error} title={TEXTS.nothingWasSaved} />}
        <Button type="submit" w="fit-content" loading={isBusy} disabled={!isChanged}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}

/** Removes the platform after a confirmation that lists the deleted data. */
function RemovePlatform({ platform }: { platform: PlatformDetails }) {
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
          title={`Remove ${display_title} from the hub?`}
          name={platform_name}
          action="Remove the platform"
          onClose={() => setPreview(null)}
          onConfirm={remove}
        >
          <Text size="sm" c="dimmed">
            {`This deletes here, for good, also the source API key. Nothing changes at ${display_title}.`}
          </Text>
          <Losses
            lost={[
              ['Records with their history', preview.records],
              ['Rejected pushes', preview.rejected_pushes],
              ['Hub API keys, which stop at once', preview.hub_api_keys],
              ['Modules', preview.modules],
            ]}
            kept="the activity log and the audit log"
          />
        </TypedConfirmation>
      )}
    </Stack>
  )
}
