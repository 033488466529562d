import { Paper, Stepper } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconKey, IconListCheck, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { type Connected, ConnectStep, type Source } from './register/connect-step.tsx'
import { KeyStep } from './register/key-step.tsx'
import { ModulesStep } from './register/modules-step.tsx'
import { TEXTS } from './texts.tsx'

const WIDTH = 820

/** Registers a platform in three steps: connect, select modules, hand over the key. */
export function RegisterPage() {
  const [{ registered = '' }, changeUrl] = useUrlState()
  const [source, setSource] = useState<Source>({ source_base_url: '', source_api_key: '' })
  const [connected, setConnected] = useState<Connected | null>(null)
  const [hubApiKey, setHubApiKey] = useState<string | null>(null)
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const canRegister = useHasRole('operator')
  if (!canRegister) {
    return (
      <>
        <PageHeader title={TEXTS.registerAPlatform} />
        <EmptyState title={TEXTS.requiresOperatorRole}>{TEXTS.requiresOperatorRoleHint}</EmptyState>
      </>
    )
  }
  const step = registered !== '' ? 2 : connected ? 1 : 0
  return (
    <>
      <PageHeader title={TEXTS.registerAPlatform} description={TEXTS.registerStepsHint} />
      <Stepper
        active={step}
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        allowNextStepsSelect={false}
        iconSize={34}
        maw={WIDTH}
        size="sm"
        mb="md"
        onStepClick={(index) => index === 0 && step === 1 && setConnected(null)}
      >
        <Stepper.Step
          label={TEXTS.connect}
          description={TEXTS.connectHint}
          icon={<IconPlugConnected size={18} aria-hidden />}
          allowStepSelect={step === 1}
        />
        <Stepper.Step
          label={TEXTS.modules}
          description={TEXTS.modulesHint}
          icon={<IconListCheck size={18} aria-hidden />}
          allowStepSelect={false}
        />
        <Stepper.Step
          label={TEXTS.hubApiKey}
          description={TEXTS.handOverHint}
          icon={<IconKey size={18} aria-hidden />}
          allowStepSelect={false}
        />
      </Stepper>
      <Paper withBorder p={{ base: 'sm', sm: 'lg' }} maw={WIDTH}>
        {step === 0 && (
          <ConnectStep source={source} onChange={setSource} onConnected={setConnected} />
        )}
        {step === 1 && connected && (
          <ModulesStep
            source={source}
            connected={connected}
            onBack={() => setConnected(null)}
            onRegistered={({ id, hub_api_key }) => {
              setHubApiKey(hub_api_key)
              setSource({ source_base_url: '', source_api_key: '' })
              // Replaces the history entry, so that Back does not lead to the form again.
              changeUrl({ registered: String(id) }, { replace: true })
            }}
          />
        )}
        {step === 2 && <KeyStep platformId={registered} hubApiKey={hubApiKey} />}
      </Paper>
    </>
  )
}
