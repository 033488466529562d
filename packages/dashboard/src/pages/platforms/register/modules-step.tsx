import { Alert, Button, Checkbox, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { ConnectionCheck, Module, Platform } from '@recordhub/protocol'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { useAction } from '../../../lib/use-action.ts'
import { TEXTS } from '../../../texts.ts'
import { recordTypeOf } from '../check-list.tsx'
import { ModuleFields } from '../module-fields.tsx'
import type { Connected, Source } from './connect-step.tsx'

type Registered = { platform: Platform; hub_api_key: string }

type Row = { module: Module; check: ConnectionCheck | null }

const column = columnsFor<Row>()

/** The second step: the selection of modules. */
export function ModulesStep(props: {
  source: Source
  connected: Connected
  onBack: () => void
  onRegistered: (registered: Registered) => void
}) {
  const { source, connected, onBack, onRegistered } = props
  const { manifest, checks } = connected
  const checkOf = (type: string) => checks.find((one) => recordTypeOf(one) === type) ?? null
  const { modules, platform_title } = manifest
  const all = modules.map((module) => module.record_type)
  const [chosen, setChosen] = useState<readonly string[]>(all)
  const [opened, setOpened] = useState<string | null>(null)
  const { isBusy, error, run } = useAction({ leaves: true })
  const refreshLive = useRefreshLive()

  async function register(): Promise<void> {
    const body = { ...source, record_types: chosen }
    const registered = await callHub<Registered>('/api/v1/platforms', { method: 'POST', body })
    void refreshLive()
    onRegistered(registered)
  }

  const back = (
    <Button variant="default" onClick={onBack} disabled={isBusy}>
      Back
    </Button>
  )
  if (modules.length === 0) {
    return (
      <Alert color="yellow" title={`${platform_title} has no modules`}>
        Its manifest has no modules. Ask the owner of the platform to add one.
        <Group mt="sm">{back}</Group>
      </Alert>
    )
  }
  const totals = chosen.map((type) => checkOf(type)?.total ?? null)
  const known = totals.filter((total) => total !== null)
  const records = known.reduce((sum, total) => sum + total, 0)
  return (
    <Stack>
      <ListTable
        label={TEXTS.modules}
        rows={modules.map((module) => ({ module, check: checkOf(module.record_type) }))}
        idOf={({ module }) => module.record_type}
        noteOf={({ module: { record_type, module_name, fields } }) =>
          record_type === opened && <ModuleFields name={module_name} fields={fields} />
        }
        columns={[
          column.of(
            'Selected',
            ({ module: { record_type, module_name } }) => (
              <Checkbox
                aria-label={module_name}
                checked={chosen.includes(record_type)}
                onChange={({ currentTarget }) =>
                  setChosen(
                    all.filter((one) =>
                      one === record_type ? currentTarget.checked : chosen.includes(one),
                    ),
                  )
                }
              />
            ),
            {
              width: 48,
              head: (
                <Checkbox
                  aria-label={`All ${formatCount(modules.length, 'module')}`}
                  checked={chosen.length === all.length}
                  indeterminate={chosen.length > 0 && chosen.length < all.length}
                  onChange={({ currentTarget }) => setChosen(currentTarget.checked ? all : [])}
                />
              ),
            },
          ),
          column.of(
            TEXTS.module,
            ({ module: { module_name, record_type, description } }) => (
              <Text span inherit title={description ?? undefined}>
                <b>{module_name}</b> <Code>{record_type}</Code>
              </Text>
            ),
            { phone: 'first' },
          ),
          column.of(
            'Fields',
            ({ module: { module_name, record_type, fields } }) => {
              const isOpen = record_type === opened
              const Chevron = isOpen ? IconChevronDown : IconChevronRight
              return (
                <UnstyledButton
                  fz="inherit"
                  aria-label={`${formatCount(fields.length, 'field')} of ${module_name}`}
                  aria-expanded={isOpen}
                  onClick={() => setOpened(isOpen ? null : record_type)}
                >
                  <Chevron size={14} aria-hidden /> {formatCount(fields.length, 'field')}
                </UnstyledButton>
              )
            },
            { width: 120 },
          ),
          column.number('Records', ({ check }) => check?.total ?? null, { width: 90 }),
          column.of('Found by the check', ({ check }) => <Found check={check} />, {
            width: 200,
            phone: 'line',
          }),
        ]}
      />
      <Text size="sm">
        <b>
          {formatNumber(chosen.length)} of {formatCount(modules.length, 'module')}
          {known.length > 0 &&
            `, ${known.length < totals.length ? 'at least ' : ''}${formatCount(records, 'record')}`}
          .
        </b>{' '}
        <Text span inherit c="dimmed">
          Modules can be registered and unregistered later.
        </Text>
      </Text>
      {error !== null && <ErrorNotice error={error} title="Registration failed" />}
      <Group>
        <Button onClick={() => void run(register)} loading={isBusy} disabled={chosen.length === 0}>
          Register with {formatCount(chosen.length, 'module')}
        </Button>
        {back}
      </Group>
    </Stack>
  )
}

function Found({ check }: { check: ConnectionCheck | null }) {
  if (check === null) return 'not checked'
  const { ok, total, message } = check
  return (
    <Text span inherit c={ok ? 'dimmed' : 'var(--orange-text)'}>
      {ok && total === 0 ? 'no records yet' : message.replace(/^OK: /, '')}
    </Text>
  )
}
