import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { Time } from '../../../components/time.tsx'
import { formatCode } from '../../../lib/format.ts'
import { LinesSkeleton } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'

export function OperatorsTable({
  operators,
  onOpen,
}: {
  /** Undefined while they load. */
  operators: Operator[] | undefined
  onOpen: (operator: Operator) => void
}) {
  if (!operators) return <LinesSkeleton />
  return (
    <DataTable
      records={operators}
      withTableBorder
      borderRadius="md"
      verticalSpacing="xs"
      columns={[
        {
          accessor: 'name',
          title: TEXTS.operator,
          width: 280,
          render: (operator) => (
            <Stack gap={0}>
              <Anchor
                component="button"
                size="sm"
                ta="left"
                fw={600}
                onClick={() => onOpen(operator)}
              >
                {operator.name}
              </Anchor>
              {operator.name !== operator.email && (
                <Text size="xs" c="dimmed">
                  {operator.email}
                </Text>
              )}
            </Stack>
          ),
        },
        { accessor: 'role', width: 110, render: ({ role }) => formatCode(role) },
        {
          accessor: 'disabled_at',
          title: TEXTS.state,
          width: 110,
          render: ({ disabled_at }) => (
            <Badge variant="light" tt="none" color={disabled_at ? 'red' : 'green'}>
              {disabled_at ? TEXTS.disabled : TEXTS.active}
            </Badge>
          ),
        },
        {
          accessor: 'second_factor',
          title: TEXTS.signInMethods,
          width: 260,
          render: (operator) => (
            <Group gap={4}>
              {signInMethods(operator).map((method) => (
                <Badge key={method} variant="light" color="gray" tt="none">
                  {method}
                </Badge>
              ))}
            </Group>
          ),
        },
        {
          accessor: 'last_seen_at',
          title: TEXTS.lastSeen,
          width: 190,
          render: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} /> : TEXTS.never),
        },
        { accessor: 'sessions', width: 90, textAlign: 'right' },
      ]}
    />
  )
}

/** The sign-in methods of an operator. */
export function signInMethods(operator: Operator): string[] {
  const { has_password, second_factor, passkeys, single_sign_on } = operator
  return [
    ...(has_password ? [second_factor ? TEXTS.passwordAndCode : TEXTS.password] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? TEXTS.passkey : TEXTS.passkeyCount(passkeys)] : []),
    ...(single_sign_on ? [TEXTS.singleSignOn] : []),
  ]
}
