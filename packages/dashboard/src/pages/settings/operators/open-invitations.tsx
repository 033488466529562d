import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core'
import type { Invitation } from '@recordhub/protocol'
import { IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { invitationsQuery } from '../../../api/operators.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCode } from '../../../lib/format.ts'
import { SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'

const column = columnsFor<Invitation>()

/** Invitations that have not been accepted. Renders nothing if there are none. */
export function OpenInvitations() {
  const client = useQueryClient()
  const found = useQuery(invitationsQuery())
  const invitations = found.data?.invitations ?? []
  if (invitations.length === 0) return null

  const withdraw = ({ id, email }: Invitation) =>
    confirm({
      title: TEXTS.withdrawTitle,
      children: TEXTS.withdrawMessage(email),
      action: TEXTS.withdraw,
      async onConfirm() {
        await callHub(`/api/v1/invitations/${id}`, { method: 'DELETE' })
        await client.invalidateQueries(invitationsQuery())
        notify(TEXTS.invitationWithdrawn)
      },
    })

  return (
    <SettingsSection title={TEXTS.invitations} description={TEXTS.invitationsDescription}>
      <ListTable
        label={TEXTS.invitations}
        isPlain
        rows={invitations}
        idOf={({ id }) => id}
        columns={[
          column.of('Invitation', (invitation) => (
            <>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {invitation.email}
                </Text>
                <Badge size="sm" variant="light" tt="none">
                  {formatCode(invitation.role)}
                </Badge>
                {isExpired(invitation) && (
                  <Badge size="sm" variant="light" color="orange" tt="none">
                    {TEXTS.expired}
                  </Badge>
                )}
              </Group>
              <Below>
                {TEXTS.invitedByExpires(
                  <OperatorName by={invitation.invited_by} />,
                  <Time at={invitation.expires_at} />,
                )}
              </Below>
            </>
          )),
          column.actions(
            TEXTS.withdraw,
            (invitation) => (
              <Tooltip label={TEXTS.withdraw}>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={TEXTS.withdrawInvitation(invitation.email)}
                  onClick={() => withdraw(invitation)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            ),
            { width: 60, phone: 'end' },
          ),
        ]}
      />
    </SettingsSection>
  )
}

function isExpired({ expires_at }: Invitation): boolean {
  return Date.parse(expires_at) <= Date.now()
}
