import { Box, Stepper } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { platformQuery } from '../../api/platforms.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { BackLink, PageHeader } from '../../components/page-header.tsx'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { recordTypeOf } from './check-list.tsx'
import { type Connected, ConnectStep, type Source } from './register/connect-step.tsx'
import { KeyStep } from './register/key-step.tsx'
import { ModulesStep } from './register/modules-step.tsx'

const WIDTH = 760

/** Registers a platform in three steps: connect, select modules, hand over the key. */
export function RegisterPage() {
  const [{ registered = '' }, changeUrl] = useUrlState()
  const [source, setSource] = useState<Source>({ source_base_url: '', source_api_key: '' })
  const [connected, setConnected] = useState<Connected | null>(null)
  const [hubApiKey, setHubApiKey] = useState<string | null>(null)
  const platform = useQuery({ ...platformQuery(registered), enabled: registered !== '' })
  const canRegister = useHasRole('operator')
  if (!canRegister) {
    return (
      <>
        <PageHeader title={TEXTS.registerAPlatform} />
        <EmptyState title={TEXTS.requiresOperatorRole}>
          Ask an admin for this role, or to register the platform.
        </EmptyState>
      </>
    )
  }
  const step = registered !== '' ? 2 : connected ? 1 : 0
  const title = [
    TEXTS.registerAPlatform,
    connected &&
      `${connected.manifest.platform_title} has ${formatCount(connected.manifest.modules.length, 'module')}`,
    platform.data && `${platform.data.display_title} is registered`,
  ][step]
  return (
    <Box maw={WIDTH} mx="auto">
      <BackLink to="/dashboard/platforms">{TEXTS.platforms}</BackLink>
      <PageHeader isOfOne title={title || TEXTS.registerAPlatform}>
        {step < 2 && (
          <LinkButton to="/dashboard/platforms" variant="subtle" color="gray">
            {TEXTS.cancel}
          </LinkButton>
        )}
      </PageHeader>
      <Stepper
        active={step}
        allowNextStepsSelect={false}
        iconSize={22}
        size="xs"
        mb="md"
        wrap={false}
        onStepClick={(index) => index === 0 && step === 1 && setConnected(null)}
      >
        <Stepper.Step label="Connect" allowStepSelect={step === 1} />
        <Stepper.Step label={TEXTS.modules} allowStepSelect={false} />
        <Stepper.Step label="Key" allowStepSelect={false} />
      </Stepper>
      {step === 0 && (
        <ConnectStep source={source} onChange={setSource} onConnected={setConnected} />
      )}
      {step === 1 && connected && (
        <ModulesStep
          source={source}
          connected={connected}
          onBack={() => setConnected(null)}
          onRegistered={({ platform: { id }, hub_api_key }) => {
            setHubApiKey(hub_api_key)
            setSource({ source_base_url: '', source_api_key: '' })
            // Replaces the history entry, so that Back does not lead to the form again.
            changeUrl({ registered: String(id) }, { replace: true })
          }}
        />
      )}
      {step === 2 && (
        <KeyStep
          platformId={registered}
          hubApiKey={hubApiKey}
          records={connected && registeredRecords(connected, platform.data)}
        />
      )}
    </Box>
  )
}

/** How many records the platform reported in the registered modules; null without a report. */
function registeredRecords({ checks }: Connected, platform: PlatformDetails | undefined) {
  const modules = platform?.modules.filter(({ registered }) => registered) ?? []
  const types = modules.map(({ record_type }) => record_type)
  const totals = checks.flatMap((one) =>
    types.includes(recordTypeOf(one) ?? '') ? (one.total ?? []) : [],
  )
  return totals.length === 0 ? null : totals.reduce((sum, one) => sum + one, 0)
}
