import { Paper, Stack, Switch, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'
import { HubKeys } from './hub-keys.tsx'
import { RemovePlatform } from './remove-platform.tsx'
import { RenameForm } from './rename-form.tsx'
import { SourceForm } from './source-form.tsx'

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

function Section({
  title,
  description,
  children,
}: {
  title: string
  description?: string
  children: ReactNode
}) {
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
function StatusSwitch({ platform }: { platform: PlatformDetails }) {
  const { id, display_title, status } = platform
  const refreshLive = useRefreshLive()

  async function change(newStatus: 'active' | 'inactive'): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'PATCH', body: { status: newStatus } })
    await refreshLive()
    notify(newStatus === 'active' ? `${display_title} is active.` : `${display_title} is inactive.`)
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
