import { ActionIcon, Badge, Group, Stack, Table, Text, Tooltip } from '@mantine/core'
import type { OperatorSession } from '@recordhub/protocol'
import { IconLogout } from '@tabler/icons-react'
import { attempt } from '../../components/confirm.tsx'
import { Time } from '../../components/time.tsx'
import { userAgentLabel } from '../../lib/user-agent.ts'
import { LinesSkeleton } from './settings-section.tsx'
import { TEXTS } from './texts.tsx'

/** Sessions, with a button to end each one except the current. */
export function SessionsTable({
  sessions,
  onEnd,
}: {
  /** Undefined while they load. */
  sessions: OperatorSession[] | undefined
  onEnd: (session: OperatorSession) => Promise<void>
}) {
  if (!sessions) return <LinesSkeleton lines={2} />
  if (sessions.length === 0) return <Text size="sm">{TEXTS.noActiveSessions}</Text>
  return (
    <Table aria-label={TEXTS.sessions}>
      <Table.Tbody>
        {sessions.map((session) => {
          const { id, current, address, user_agent, created_at, last_seen_at } = session
          const name = userAgentLabel(user_agent)
          return (
            <Table.Tr key={id}>
              <Table.Td>
                <Stack gap={0}>
                  <Group gap="xs">
                    <Text size="sm" fw={600}>
                      {name}
                    </Text>
                    {current && (
                      <Badge size="sm" variant="light" color="green" tt="none">
                        {TEXTS.current}
                      </Badge>
                    )}
                  </Group>
                  <Text size="xs" c="dimmed">
                    {TEXTS.sinceLastActive(
                      address ?? TEXTS.unknownAddress,
                      <Time at={created_at} seconds />,
                      <Time at={last_seen_at} seconds />,
                    )}
                  </Text>
                </Stack>
              </Table.Td>
              <Table.Td w={50}>
                {!current && (
                  <Tooltip label={TEXTS.endThisSession}>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={TEXTS.endTheSession(name, address ?? TEXTS.unknownAddressInLabel)}
                      onClick={() => attempt(() => onEnd(session))}
                    >
                      <IconLogout size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}
