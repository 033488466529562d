import {
  Alert,
  Button,
  Checkbox,
  Code,
  Collapse,
  Group,
  Paper,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Module, Platform } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount } from '../../../lib/format.ts'
import { ModuleFields } from '../module-fields.tsx'
import { TEXTS } from '../texts.tsx'
import type { Connected, Source } from './connect-step.tsx'

type Registered = { platform: Platform; hub_api_key: string }

/** The second step: the selection of modules. */
export function ModulesStep({
  source,
  connected: { manifest, totals },
  onBack,
  onRegistered,
}: {
  source: Source
  connected: Connected
  onBack: () => void
  onRegistered: (registered: { id: number; hub_api_key: string }) => void
}) {
  const { modules, platform_title } = manifest
  const all = modules.map((module) => module.record_type)
  const [chosen, setChosen] = useState<string[]>(all)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const refreshLive = useRefreshLive()

  async function register(): Promise<void> {
    setIsBusy(true)
    setError(null)
    try {
      const body = { ...source, record_types: chosen }
      const registered = await callHub<Registered>('/api/v1/platforms', { method: 'POST', body })
      void refreshLive()
      onRegistered({ id: registered.platform.id, hub_api_key: registered.hub_api_key })
    } catch (failure) {
      setError(failure)
      setIsBusy(false)
    }
  }

  if (modules.length === 0) {
    return (
      <Alert color="yellow" variant="light" title={TEXTS.hasNoModules(platform_title)}>
        {TEXTS.hasNoModulesHint(
          <Group mt="sm">
            <Button variant="default" onClick={onBack}>
              {TEXTS.back}
            </Button>
          </Group>,
        )}
      </Alert>
    )
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {TEXTS.selectModulesHint(platform_title)}
      </Text>
      <Checkbox
        label={TEXTS.allOfModules(formatCount(modules.length, 'module'))}
        checked={chosen.length === all.length}
        indeterminate={chosen.length > 0 && chosen.length < all.length}
        onChange={({ currentTarget }) => setChosen(currentTarget.checked ? all : [])}
      />
      <Checkbox.Group value={chosen} onChange={setChosen} aria-label={TEXTS.modules}>
        <Stack gap="xs">
          {modules.map((module) => (
            <ModuleChoice
              key={module.record_type}
              module={module}
              total={totals.get(module.record_type)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {error !== null && <ErrorNotice error={error} title={TEXTS.registrationFailed} />}
      <Group>
        <Button variant="default" onClick={onBack} disabled={isBusy}>
          {TEXTS.back}
        </Button>
        <Button onClick={() => void register()} loading={isBusy} disabled={chosen.length === 0}>
          {TEXTS.registerWith(formatCount(chosen.length, 'module'))}
        </Button>
      </Group>
    </Stack>
  )
}

function ModuleChoice({ module, total }: { module: Module; total: number | undefined }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const { module_name, record_type, description, fields } = module
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Checkbox
          value={record_type}
          label={module_name}
          description={
            <>
              <Code>{record_type}</Code> {description}
              {total !== undefined && ` · ${formatCount(total, 'record')}`}
            </>
          }
        />
        <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={toggle}>
          {formatCount(fields.length, 'field')}
          <VisuallyHidden>{TEXTS.ofModule(module_name)}</VisuallyHidden>
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <ModuleFields name={module_name} fields={fields} />
      </Collapse>
    </Paper>
  )
}
