import { Badge, Group, Select, Stack, Text, Title } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { OPERATORS, operatorSessionsQuery } from '../../../api/operators.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { session } from '../../../api/session.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { ROLE_CHOICES } from '../../../lib/roles.ts'
import { useStore } from '../../../lib/store.ts'
import { SessionsTable } from '../sessions-table.tsx'
import { TEXTS } from '../texts.tsx'
import { OperatorActions } from './operator-actions.tsx'
import { signInMethods } from './operators-table.tsx'

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
    notify(TEXTS.roleWasChanged)
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
              {operator.disabled_at ? TEXTS.disabled : TEXTS.active}
            </Badge>
            {signInMethods(operator).map((method) => (
              <Badge key={method} variant="light" color="gray" tt="none">
                {method}
              </Badge>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            {TEXTS.createdLastSeen(
              <Time at={operator.created_at} />,
              operator.last_seen_at ? <Time at={operator.last_seen_at} /> : 'never',
            )}
          </Text>
        </Stack>
        <Select
          label={TEXTS.role}
          description={isSelf ? TEXTS.anotherAdminChangesRole : TEXTS.appliesFromNextRequest}
          data={ROLE_CHOICES}
          value={operator.role}
          allowDeselect={false}
          disabled={isSelf}
          onChange={setNewRole}
        />
        <Stack gap="xs">
          <Title order={3} fz="h5">
            {TEXTS.sessions}
          </Title>
          {error ? (
            <ErrorNotice error={error} onRetry={() => found.refetch()} />
          ) : (
            <SessionsTable
              sessions={found.data?.sessions}
              onEnd={async ({ id }) => {
                await callHub(`${path}/sessions/${id}`, { method: 'DELETE' })
                await refresh()
                notify(TEXTS.sessionHasEnded)
              }}
            />
          )}
        </Stack>
        {isSelf ? (
          <Text size="sm" c="dimmed">
            {TEXTS.ownAccountHint}
          </Text>
        ) : (
          <OperatorActions operator={operator} onChanged={refresh} onRemoved={onClose} />
        )}
      </Stack>
      {newRole !== null && newRole !== operator.role && (
        <PasswordDialog
          title={TEXTS.changeRoleTitle(operator.name, newRole)}
          action={TEXTS.changeRole}
          onClose={() => setNewRole(null)}
          onConfirm={changeRole}
        />
      )}
    </SideDrawer>
  )
}
