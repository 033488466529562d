import { Anchor, Badge, Group } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { formatCode } from '../../../lib/format.ts'
import { TEXTS } from '../texts.tsx'

const column = columnsFor<Operator>()

export function OperatorsTable({
  operators,
  onOpen,
}: {
  /** Undefined while they load. */
  operators: Operator[] | undefined
  onOpen: (operator: Operator) => void
}) {
  return (
    <ListTable
      label={TEXTS.operators}
      rows={operators}
      idOf={({ id }) => id}
      onOpen={onOpen}
      columns={[
        column.of(TEXTS.operator, (operator) => (
          <>
            <Anchor
              component="button"
              size="sm"
              ta="left"
              fw={600}
              onClick={() => onOpen(operator)}
            >
              {operator.name}
            </Anchor>
            {operator.name !== operator.email && <Below>{operator.email}</Below>}
          </>
        )),
        column.of('Role', ({ role }) => formatCode(role), { width: 100 }),
        column.of(
          TEXTS.state,
          ({ disabled_at }) => (
            <Badge variant="light" tt="none" color={disabled_at ? 'red' : 'green'}>
              {disabled_at ? TEXTS.disabled : TEXTS.active}
            </Badge>
          ),
          { width: 100 },
        ),
        column.of(
          TEXTS.signInMethods,
          (operator) => (
            <Group gap={4}>
              {signInMethods(operator).map((method) => (
                <Badge key={method} variant="light" color="gray" tt="none">
                  {method}
                </Badge>
              ))}
            </Group>
          ),
          { width: 230, from: 'desktop' },
        ),
        column.time(TEXTS.lastSeen, ({ last_seen_at }) => last_seen_at, { none: TEXTS.never }),
        column.number('Sessions', ({ sessions }) => sessions, { width: 90 }),
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
