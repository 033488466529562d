import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core'
import type { OperatorSession } from '@recordhub/protocol'
import { IconLogout } from '@tabler/icons-react'
import { attempt } from '../../components/confirm.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { userAgentLabel } from '../../lib/user-agent.ts'
import { TEXTS } from './texts.tsx'

const column = columnsFor<OperatorSession>()

/** Sessions, with a button to end each one except the current. */
export function SessionsTable({
  sessions,
  onEnd,
}: {
  /** Undefined while they load. */
  sessions: OperatorSession[] | undefined
  onEnd: (session: OperatorSession) => Promise<void>
}) {
  return (
    <ListTable
      label={TEXTS.sessions}
      isPlain
      rows={sessions}
      idOf={({ id }) => id}
      empty={<Text size="sm">{TEXTS.noActiveSessions}</Text>}
      columns={[
        column.of('Session', (session) => (
          <>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {userAgentLabel(session.user_agent)}
              </Text>
              {session.current && (
                <Badge size="sm" variant="light" color="green" tt="none">
                  {TEXTS.current}
                </Badge>
              )}
            </Group>
            <Below>
              {TEXTS.sinceLastActive(
                session.address ?? TEXTS.unknownAddress,
                <Time at={session.created_at} seconds />,
                <Time at={session.last_seen_at} seconds />,
              )}
            </Below>
          </>
        )),
        column.actions(
          TEXTS.endThisSession,
          (session) =>
            !session.current && (
              <Tooltip label={TEXTS.endThisSession}>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={TEXTS.endTheSession(
                    userAgentLabel(session.user_agent),
                    session.address ?? TEXTS.unknownAddressInLabel,
                  )}
                  onClick={() => attempt(() => onEnd(session))}
                >
                  <IconLogout size={16} />
                </ActionIcon>
              </Tooltip>
            ),
          { width: 60, phone: 'end' },
        ),
      ]}
    />
  )
}
