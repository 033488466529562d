import { ActionIcon, Code, Text, Tooltip } from '@mantine/core'
import type { ApiToken } from '@recordhub/protocol'
import { IconTrash } from '@tabler/icons-react'
import { DataTable } from 'mantine-datatable'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCode } from '../../../lib/format.ts'
import { TEXTS } from '../texts.tsx'

export function TokensTable({
  tokens,
  onRevoke,
}: {
  tokens: ApiToken[]
  onRevoke: (token: ApiToken) => void
}) {
  return (
    <DataTable
      records={tokens}
      withTableBorder
      borderRadius="md"
      verticalSpacing="xs"
      pinLastColumn
      columns={[
        {
          accessor: 'name',
          width: 160,
          render: ({ name }) => (
            <Text size="sm" fw={600}>
              {name}
            </Text>
          ),
        },
        {
          accessor: 'hint',
          title: TEXTS.token,
          width: 150,
          render: ({ hint }) => <Code>{hint}</Code>,
        },
        { accessor: 'role', width: 90, render: ({ role, scope }) => formatCode(scope ?? role) },
        {
          accessor: 'created_by',
          title: TEXTS.createdBy,
          width: 210,
          ellipsis: true,
          render: ({ created_by }) => <OperatorName by={created_by} />,
        },
        {
          accessor: 'last_used_at',
          title: TEXTS.lastUsed,
          width: 190,
          render: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : TEXTS.never),
        },
        {
          accessor: 'expires_at',
          title: TEXTS.expires,
          width: 180,
          render: ({ expires_at }) => <Expiry at={expires_at} />,
        },
        {
          accessor: 'id',
          title: TEXTS.revoke,
          width: 80,
          textAlign: 'right',
          render: (token) => (
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
        },
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
