import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, type HubCall } from '../../api/call-hub.ts'
import { OPERATORS, operatorSessionsQuery } from '../../api/operators.ts'
import { session } from '../../api/session.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { SideDrawer } from '../../components/dialog.tsx'
import { OptionList } from '../../components/option-list.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { ROLE_CHOICES } from '../../lib/roles.ts'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from '../../texts.ts'
import { SessionsTable } from './parts.tsx'

/** One operator: role, sign-in methods, sessions and actions. */
export function OperatorDrawer({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const change = useChange(operator)
  const isSelf = useStore(session).operator?.id === operator.id
  const sessions = useQuery(operatorSessionsQuery(operator.id))
  const [newRole, setNewRole] = useState<string | null>(null)
  return (
    <SideDrawer opened onClose={onClose} size="lg" title={operator.email}>
      <Stack gap="lg">
        <Stack gap={4}>
          <Title order={2} fz="h3">
            {operator.name}
          </Title>
          <Group gap={4}>
            <Badge color={operator.disabled_at ? 'red' : 'green'}>
              {operator.disabled_at ? 'Disabled' : TEXTS.active}
            </Badge>
            <SignInMethods operator={operator} />
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
          <SessionsTable
            query={sessions}
            onEnd={({ id }) =>
              change('The session has ended.', { method: 'DELETE' }, `/sessions/${id}`)
            }
          />
        </Stack>
        {isSelf ? (
          <Text size="sm" c="dimmed">
            This is your own account. Change your password, two-factor authentication and passkeys
            under Security.
          </Text>
        ) : (
          <OperatorActions operator={operator} onRemoved={onClose} />
        )}
      </Stack>
      {newRole !== null && newRole !== operator.role && (
        <PasswordDialog
          title={`Change the role of ${operator.name} to ${newRole}?`}
          action="Change role"
          onClose={() => setNewRole(null)}
          onConfirm={async (password) => {
            const body = { role: newRole, password }
            await change('The role was changed.', { method: 'PATCH', body })
            setNewRole(null)
          }}
        />
      )}
    </SideDrawer>
  )
}

/** Sends a change of an operator, or of what is `below` it, reads the operators again, and says what was done. */
function useChange({ id }: Operator) {
  const client = useQueryClient()
  return async (message: string, call: HubCall, below = '', onSent?: () => void) => {
    await callHub(`/api/v1/operators/${id}${below}`, call)
    onSent?.()
    await client.invalidateQueries(OPERATORS)
    notify(message)
  }
}

/** Actions of an admin on another operator. */
function OperatorActions({ operator, onRemoved }: { operator: Operator; onRemoved: () => void }) {
  const { name, disabled_at, second_factor, passkeys, sessions } = operator
  const change = useChange(operator)
  const [dialog, setDialog] = useState<'enable' | 'reset' | null>(null)
  const close = () => setDialog(null)

  const disable = () =>
    confirm({
      title: `Disable ${name}?`,
      children: 'All sessions end immediately, and API tokens no longer work. Nothing is deleted.',
      action: 'Disable',
      onConfirm: () =>
        change(`${name} is disabled.`, { method: 'PATCH', body: { disabled: true } }),
    })

  const endAll = () =>
    confirm({
      title: `Sign ${name} out everywhere?`,
      children: 'All sessions of this operator end immediately.',
      action: 'End all sessions',
      onConfirm: () => change('All sessions have ended.', { method: 'DELETE' }, '/sessions'),
    })

  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      children:
        'This deletes the account with its sessions, passkeys and API tokens. Its actions stay in the audit log.',
      action: 'Remove',
      onConfirm: () => change(`${name} was removed.`, { method: 'DELETE' }, '', onRemoved),
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
      <Button variant="default" onClick={disabled_at ? () => setDialog('enable') : disable}>
        {disabled_at ? 'Enable' : 'Disable'}
      </Button>
      <Button variant="subtle" color="red" onClick={remove}>
        Remove
      </Button>
      {dialog === 'enable' && (
        <PasswordDialog
          title={`Enable ${name}?`}
          action="Enable"
          onClose={close}
          onConfirm={async (password) => {
            const body = { disabled: false, password }
            await change(`${name} can sign in again.`, { method: 'PATCH', body })
            close()
          }}
        />
      )}
      {dialog === 'reset' && (
        <PasswordDialog
          title={`Reset two-factor authentication of ${name}?`}
          action="Reset"
          danger
          onClose={close}
          onConfirm={async (password) => {
            const call = { method: 'DELETE', body: { password } } as const
            await change('Two-factor authentication was reset.', call, '/second-factor')
            close()
          }}
        >
          Use this if the operator has lost the authenticator app and recovery codes, or the device
          with the passkeys. This deletes them and ends all sessions. The operator can then set up a
          new second factor with the password alone.
        </PasswordDialog>
      )}
    </Group>
  )
}

/** A badge for each sign-in method of an operator. */
export function SignInMethods({ operator }: { operator: Operator }) {
  const { has_password, second_factor, passkeys, single_sign_on } = operator
  const methods = [
    ...(has_password ? [second_factor ? 'Password and code' : TEXTS.password] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? 'Passkey' : `${passkeys} passkeys`] : []),
    ...(single_sign_on ? ['Single sign-on'] : []),
  ]
  return methods.map((method) => (
    <Badge key={method} color="gray">
      {method}
    </Badge>
  ))
}
