import { Button, Code, Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ApiToken, Role, TokenScope } from '@recordhub/protocol'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { hasRole, session } from '../../api/session.ts'
import { tokensQuery } from '../../api/settings.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { PasswordAgainInput } from '../../components/current-password-input.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { type Option, OptionList } from '../../components/option-list.tsx'
import { Time } from '../../components/time.tsx'
import { formatCode, formatCount } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { LinesSkeleton, SecretDialog, SettingsSection } from './parts.tsx'

const column = columnsFor<ApiToken>()

/** API tokens for programs. */
export function TokenSettings() {
  const client = useQueryClient()
  const isAdmin = useHasRole('admin')
  const [isCreating, creation] = useDisclosure(false)
  const revoke = ({ id, name }: ApiToken) =>
    confirm({
      title: `Revoke “${name}”?`,
      children: 'Requests with this token are rejected from now on. This cannot be undone.',
      action: 'Revoke',
      async onConfirm() {
        await callHub(`/api/v1/tokens/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(tokensQuery())
        notify(`Token ${name} revoked.`)
      },
    })
  return (
    <Loaded query={useQuery(tokensQuery())} skeleton={<LinesSkeleton />}>
      {({ tokens }) => (
        <SettingsSection
          title={`${isAdmin ? '' : 'Your '}${formatCount(tokens.length, 'token')}`}
          isCard={false}
          action={
            <Button leftSection={<IconPlus size={16} />} onClick={creation.open}>
              Create token
            </Button>
          }
        >
          <ListTable
            label="API tokens"
            rows={tokens}
            idOf={({ id }) => id}
            empty={
              <EmptyState icon={<IconKey />} title="No tokens yet">
                Create a token for each program that reads records or starts pulls, with the least
                privileged role that it needs.
              </EmptyState>
            }
            columns={[
              column.of('Token', ({ name, hint, created_by }) => (
                <>
                  <Text size="sm" fw={550}>
                    {name}
                  </Text>
                  <Below>
                    <Code>{hint}</Code> by <OperatorName by={created_by} />
                  </Below>
                </>
              )),
              column.of('Scope', ({ role, scope }) => formatCode(scope ?? role), { width: 100 }),
              column.time('Last used', ({ last_used_at }) => last_used_at, { none: TEXTS.never }),
              column.of('Expires', ({ expires_at }) => <Expiry at={expires_at} />, {
                width: 190,
                phone: 'labelled',
              }),
              column.actions(
                'Revoke',
                (token) => (
                  <Button
                    size="xs"
                    variant="subtle"
                    color="gray"
                    aria-label={`Revoke the token ${token.name}`}
                    onClick={() => revoke(token)}
                  >
                    Revoke…
                  </Button>
                ),
                { width: 110 },
              ),
            ]}
          />
          {isCreating && <CreateToken onClose={creation.close} />}
        </SettingsSection>
      )}
    </Loaded>
  )
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return TEXTS.never
  if (Date.parse(at) > Date.now()) return <Time at={at} />
  return (
    <Text span size="sm" c="red">
      Expired <Time at={at} />
    </Text>
  )
}

type Permission = Option & { role: Role; scope?: TokenScope }

/** A scope restricts a token to what a role includes. */
const PERMISSIONS: readonly Permission[] = [
  {
    ...{ value: 'alerts', role: 'viewer', scope: 'alerts', label: 'Alerts' },
    text: 'Reads alerts only, such as for a feed reader.',
  },
  {
    value: 'viewer',
    role: 'viewer',
    label: 'Viewer',
    text: 'Reads platforms, pulls, records and the log.',
  },
  {
    ...{ value: 'operator', role: 'operator', label: 'Operator' },
    text: 'Also works with platforms, pulls and records; starts no reverts.',
  },
  {
    ...{ value: 'admin', role: 'admin', label: 'Admin' },
    text: 'Also backups, the audit log and erasing; no keys, access, settings or reverts.',
  },
  {
    ...{ value: 'hub_keys', role: 'operator', scope: 'hub_keys', label: 'Hub keys' },
    text: 'Reveals, rotates and ends hub API keys only.',
  },
  {
    ...{ value: 'reverts', role: 'operator', scope: 'reverts', label: 'Reverts' },
    text: 'Plans, starts and cancels reverts only.',
  },
  {
    ...{ value: 'access', role: 'admin', scope: 'access', label: 'Access and settings' },
    text: 'Manages tokens, invitations, operators and settings only.',
  },
]

const PERIODS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: TEXTS.never },
]

/** Creates an API token, which is shown only once. */
function CreateToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const ownRole = useStore(session).operator?.role
  const [token, setToken] = useState<string | null>(null)
  const form = useForm({
    mode: 'controlled',
    initialValues: { name: '', permission: 'viewer', days: '90', password: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  if (token !== null) {
    return (
      <SecretDialog
        dialogTitle="Token created"
        onClose={onClose}
        title="Copy the token now"
        value={token}
        label="token"
      >
        The token is not shown again, because the hub stores only a hash of it.
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      form={form}
      title="Create token"
      action="Create token"
      onClose={onClose}
      onSubmit={async ({ name, permission, days, password }) => {
        const { role, scope = null } = PERMISSIONS.find(({ value }) => value === permission) ?? {}
        const expires_in_days = days === '' ? null : Number(days)
        const body = { name: name.trim(), role, scope, expires_in_days, password }
        const created = await callHub<{ token: string }>('/api/v1/tokens', { method: 'POST', body })
        setToken(created.token)
        await client.invalidateQueries(tokensQuery())
      }}
    >
      <TextInput
        label={TEXTS.name}
        description="The purpose of the token, e.g. nightly export"
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <OptionList
        label="Scope"
        description="At most your own role. The token is revoked when your account is removed."
        options={PERMISSIONS.filter(({ role }) => hasRole(ownRole, role))}
        {...form.getInputProps('permission')}
      />
      <Select
        label="Expires after"
        data={PERIODS}
        allowDeselect={false}
        {...form.getInputProps('days')}
      />
      <PasswordAgainInput {...form.getInputProps('password')} />
    </FormDialog>
  )
}
