import { Badge, Group, Select, Stack, Text, Title } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { OPERATORS, operatorSessionsQuery } from '../../../api/operators.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { session } from '../../../api/session.ts'
import { attempt, tell } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { useStore } from '../../../lib/use-store.ts'
import { SessionsTable } from '../sessions-table.tsx'
import { OperatorActions } from './operator-actions.tsx'
import { waysOf } from './operators-table.tsx'
import { ROLE_CHOICES } from './role-choices.ts'

/** One operator: role, ways to sign in, sessions, and what an admin can do. */
export function OperatorDrawer({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const client = useQueryClient()
  const isSelf = useStore(session).operator?.id === operator.id
  const path = `/api/v1/operators/${operator.id}`
  const found = useQuery(operatorSessionsQuery(operator.id))
  const error = errorInPlaceOfData(found)
  const refresh = () => client.invalidateQueries(OPERATORS)

  async function changeRole(role: string | null): Promise<void> {
    await attempt(async () => {
      await callHub(path, { method: 'PATCH', body: { role } })
      tell('The role was changed. It counts from now on.')
    })
    await refresh()
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
              {operator.disabled_at ? 'Disabled' : 'Active'}
            </Badge>
            {waysOf(operator).map((way) => (
              <Badge key={way} variant="light" color="gray" tt="none">
                {way}
              </Badge>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            Since <Time at={operator.created_at} /> · last seen{' '}
            {operator.last_seen_at ? <Time at={operator.last_seen_at} /> : 'never'}
          </Text>
        </Stack>
        <Select
          label="Role"
          description={
            isSelf ? 'Another admin can change your role.' : 'Counts from the next request on.'
          }
          data={ROLE_CHOICES}
          value={operator.role}
          allowDeselect={false}
          disabled={isSelf}
          onChange={changeRole}
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
                tell('The session was ended.')
              }}
            />
          )}
        </Stack>
        {isSelf ? (
          <Text size="sm" c="dimmed">
            This is you. Your password, second factor and passkeys are under Account.
          </Text>
        ) : (
          <OperatorActions operator={operator} onChanged={refresh} onGone={onClose} />
        )}
      </Stack>
    </SideDrawer>
  )
}
