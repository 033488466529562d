import { Paper, Stack, Text, Title } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { HubKeys } from './hub-keys.tsx'
import { RemovePlatform } from './remove-platform.tsx'
import { SourceForm } from './source-form.tsx'
import { StatusSwitch } from './status-switch.tsx'

/** Status, keys and address of the platform, and its removal. */
export function SettingsTab({ platform }: { platform: PlatformDetails }) {
  const canOperate = useHasRole('operator')
  if (!canOperate) {
    return (
      <EmptyState title="Requires the operator role">
        Viewers cannot change the settings of a platform or see its keys.
      </EmptyState>
    )
  }
  return (
    <Stack maw={820}>
      <Section title="Status">
        <StatusSwitch platform={platform} />
      </Section>
      <Section
        title="Hub API key"
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
