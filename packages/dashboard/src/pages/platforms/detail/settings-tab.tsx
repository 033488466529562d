import { Paper, Stack, Switch, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { HubKeys } from './hub-keys.tsx'
import { RemovePlatform } from './remove-platform.tsx'
import { RenameForm } from './rename-form.tsx'
import { SourceForm } from './source-form.tsx'
import { TEXTS } from './texts.tsx'

/** Status, keys and address of the platform, and its removal. */
export function SettingsTab({ platform }: { platform: PlatformDetails }) {
  const canOperate = useHasRole('operator')
  if (!canOperate) {
    return (
      <EmptyState title={TEXTS.requiresOperatorRole}>{TEXTS.requiresOperatorRoleHint}</EmptyState>
    )
  }
  return (
    <Stack maw={820}>
      <Section title={TEXTS.status}>
        <StatusSwitch platform={platform} />
      </Section>
      <Section title={TEXTS.hubApiKey} description={TEXTS.hubApiKeyDescription}>
        <HubKeys platform={platform} />
      </Section>
      <Section title={TEXTS.addressTitle} description={TEXTS.addressDescription}>
        <SourceForm platform={platform} />
      </Section>
      <Section title={TEXTS.platformName} description={TEXTS.renameDescription}>
        <RenameForm key={platform.platform_name} platform={platform} />
      </Section>
      <Section title={TEXTS.removePlatform}>
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
    notify(newStatus === 'active' ? TEXTS.isActive(display_title) : TEXTS.isInactive(display_title))
  }

  return (
    <Switch
      label={TEXTS.active}
      description={status === 'active' ? TEXTS.activeDescription : TEXTS.inactiveDescription}
      checked={status === 'active'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void attempt(() => change('active'))
        else {
          confirm({
            title: TEXTS.deactivateTitle(display_title),
            action: TEXTS.deactivate,
            children: TEXTS.deactivateMessage,
            onConfirm: () => change('inactive'),
          })
        }
      }}
    />
  )
}
