import { ActionIcon, Code, Text, Tooltip } from '@mantine/core'
import type { ApiToken } from '@recordhub/protocol'
import { IconTrash } from '@tabler/icons-react'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCode } from '../../../lib/format.ts'
import { TEXTS } from '../texts.tsx'

const column = columnsFor<ApiToken>()

export function TokensTable({
  tokens,
  onRevoke,
}: {
  tokens: ApiToken[]
  onRevoke: (token: ApiToken) => void
}) {
  return (
    <ListTable
      label="API tokens"
      rows={tokens}
      idOf={({ id }) => id}
      columns={[
        column.of('Name', ({ name, hint }) => (
          <>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Code>{hint}</Code>
          </>
        )),
        column.of('Role', ({ role, scope }) => formatCode(scope ?? role), { width: 100 }),
        column.of(TEXTS.createdBy, ({ created_by }) => <OperatorName by={created_by} />, {
          width: 170,
          from: 'desktop',
        }),
        column.time(TEXTS.lastUsed, ({ last_used_at }) => last_used_at, { none: TEXTS.never }),
        column.of(TEXTS.expires, ({ expires_at }) => <Expiry at={expires_at} />, {
          width: 190,
          phone: 'labelled',
        }),
        column.actions(
          TEXTS.revoke,
          (token) => (
            <Tooltip label={TEXTS.revoke}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={TEXTS.revokeTheToken(token.name)}
                onClick={() => onRevoke(token)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          ),
          { width: 70 },
        ),
      ]}
    />
  )
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return TEXTS.never
  if (Date.parse(at) > Date.now()) return <Time at={at} />
  return (
    <Text span size="sm" c="red">
      {TEXTS.expiredAt(<Time at={at} />)}
    </Text>
  )
}
