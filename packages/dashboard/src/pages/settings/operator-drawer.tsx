import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { OPERATORS, operatorSessionsQuery } from '../../api/operators.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { session } from '../../api/session.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { SideDrawer } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { OptionList } from '../../components/option-list.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { ROLE_CHOICES } from '../../lib/roles.ts'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from '../../texts.ts'
import { SessionsTable } from './parts.tsx'

/** One operator: role, sign-in methods, sessions and actions. */
export function OperatorDrawer({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const client = useQueryClient()
  const isSelf = useStore(session).operator?.id === operator.id
  const path = `/api/v1/operators/${operator.id}`
  const found = useQuery(operatorSessionsQuery(operator.id))
  const error = errorInPlaceOfData(found)
  const [newRole, setNewRole] = useState<string | null>(null)
  const refresh = () => client.invalidateQueries(OPERATORS)

  async function changeRole(password: string): Promise<void> {
    await callHub(path, { method: 'PATCH', body: { role: newRole, password } })
    await refresh()
    setNewRole(null)
    notify('The role was changed.')
  }

  return (
    <SideDrawer opened onClose={onClose} size="lg" title={operator.email}>
      <Stack gap="lg">
        <Stack gap={4}>
          <Title order={2} fz="h3">
            {operator.name}
          </Title>
          <Group gap={4}>
            <Badge variant="light" tt="none" color={operator.disabled_at ? 'red' : 'green'}>
              {operator.disabled_at ? 'Disabled' : TEXTS.active}
            </Badge>
            {signInMethods(operator).map((method) => (
              <Badge key={method} variant="light" color="gray" tt="none">
                {method}
              </Badge>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            Created {<Time at={operator.created_at} />} · last seen{' '}
            {operator.last_seen_at ? <Time at={operator.last_seen_at} /> : 'never'}
          </Text>
        </Stack>
        <OptionList
          label="Role"
          description={
            isSelf ? 'Another admin can change your role.' : 'Applies from the next request on.'
          }
          options={ROLE_CHOICES}
          value={operator.role}
          disabled={isSelf}
          onChange={setNewRole}
        />
        <Stack gap="xs">
          <Title order={3} fz="h5">
            Sessions
          </Title>
          {error ? (
            <ErrorNotice error={error} onRetry={() => found.refetch()} />
          ) : (
            <SessionsTable
              sessions={found.data?.sessions}
              onEnd={async ({ id }) => {
                await callHub(`${path}/sessions/${id}`, { method: 'DELETE' })
                await refresh()
                notify('The session has ended.')
              }}
            />
          )}
        </Stack>
        {isSelf ? (
          <Text size="sm" c="dimmed">
            This is your own account. Change your password, two-factor authentication and passkeys
            under Security.
          </Text>
        ) : (
          <OperatorActions operator={operator} onChanged={refresh} onRemoved={onClose} />
        )}
      </Stack>
      {newRole !== null && newRole !== operator.role && (
        <PasswordDialog
          title={`Change the role of ${operator.name} to ${newRole}?`}
          action="Change role"
          onClose={() => setNewRole(null)}
          onConfirm={changeRole}
        />
      )}
    </SideDrawer>
  )
}

/** Actions of an admin on another operator. */
function OperatorActions({
  operator,
  onChanged,
  onRemoved,
}: {
  operator: Operator
  onChanged: () => Promise<void>
  onRemoved: () => void
}) {
  const { id, name, disabled_at, second_factor, passkeys, sessions } = operator
  const [dialog, setDialog] = useState<'enable' | 'reset' | null>(null)
  const path = `/api/v1/operators/${id}`

  async function enable(password: string): Promise<void> {
    await callHub(path, { method: 'PATCH', body: { disabled: false, password } })
    await onChanged()
    setDialog(null)
    notify(`${name} can sign in again.`)
  }

  const disable = () =>
    confirm({
      title: `Disable ${name}?`,
      children: 'All sessions end immediately, and API tokens no longer work. Nothing is deleted.',
      action: 'Disable',
      async onConfirm() {
        await callHub(path, { method: 'PATCH', body: { disabled: true } })
        await onChanged()
        notify(`${name} is disabled.`)
      },
    })

  const endAll = () =>
    confirm({
      title: `Sign ${name} out everywhere?`,
      children: 'All sessions of this operator end immediately.',
      action: 'End all sessions',
      async onConfirm() {
        await callHub(`${path}/sessions`, { method: 'DELETE' })
        await onChanged()
        notify('All sessions have ended.')
      },
    })

  async function resetSecondFactor(password: string): Promise<void> {
    await callHub(`${path}/second-factor`, { method: 'DELETE', body: { password } })
    await onChanged()
    setDialog(null)
    notify('Two-factor authentication was reset.')
  }

  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      children:
        'This deletes the account with its sessions, passkeys and API tokens. Its actions stay in the audit log.',
      action: 'Remove',
      async onConfirm() {
        await callHub(path, { method: 'DELETE' })
        onRemoved()
        await onChanged()
        notify(`${name} was removed.`)
      },
    })

  return (
    <Group gap="xs">
      {sessions > 0 && (
        <Button variant="default" onClick={endAll}>
          End all sessions
        </Button>
      )}
      {(second_factor || passkeys > 0) && (
        <Button variant="default" onClick={() => setDialog('reset')}>
          Reset two-factor authentication
        </Button>
      )}
      {disabled_at ? (
        <Button variant="default" onClick={() => setDialog('enable')}>
          Enable
        </Button>
      ) : (
        <Button variant="default" onClick={disable}>
          Disable
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        Remove
      </Button>
      {dialog === 'enable' && (
        <PasswordDialog
          title={`Enable ${name}?`}
          action="Enable"
          onClose={() => setDialog(null)}
          onConfirm={enable}
        />
      )}
      {dialog === 'reset' && (
        <PasswordDialog
          title={`Reset two-factor authentication of ${name}?`}
          action="Reset"
          danger
          onClose={() => setDialog(null)}
          onConfirm={resetSecondFactor}
        >
          Use this if the operator has lost the authenticator app and recovery codes, or the device
          with the passkeys. This deletes them and ends all sessions. The operator can then set up a
          new second factor with the password alone.
        </PasswordDialog>
      )}
    </Group>
  )
}

/** The sign-in methods of an operator. */
export function signInMethods(operator: Operator): string[] {
  const { has_password, second_factor, passkeys, single_sign_on } = operator
  return [
    ...(has_password ? [second_factor ? 'Password and code' : TEXTS.password] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? 'Passkey' : `${passkeys} passkeys`] : []),
    ...(single_sign_on ? ['Single sign-on'] : []),
  ]
}
