import { Stack, Text, Tooltip } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { useTitles } from '../../api/platforms.ts'
import { OperatorName } from '../../components/operator-name.tsx'
import { Time } from '../../components/time.tsx'
import { actionLabel, detailsLabel } from '../../lib/audit-labels.ts'
import { TEXTS } from './texts.tsx'

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <DataTable
      records={entries}
      withTableBorder
      borderRadius="md"
      verticalSpacing="xs"
      // Makes a wide table scrollable by keyboard.
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      columns={[
        {
          accessor: 'at',
          title: TEXTS.time,
          width: 215,
          render: ({ at }) => <Time at={at} seconds />,
        },
        {
          accessor: 'actor',
          title: TEXTS.user,
          width: 200,
          render: ({ actor }) => <OperatorName by={actor} />,
        },
        {
          accessor: 'action',
          title: TEXTS.action,
          width: 280,
          render: ({ action, details }) => (
            <Stack gap={0}>
              <Text size="sm" fw={600}>
                {actionLabel(action)}
              </Text>
              <Text size="xs" c="dimmed">
                {detailsLabel(details)}
              </Text>
            </Stack>
          ),
        },
        {
          accessor: 'target',
          title: TEXTS.target,
          width: 200,
          render: ({ target }) => <Target target={target} />,
        },
        {
          accessor: 'address',
          title: TEXTS.ipAddress,
          width: 130,
          render: ({ address }) => address ?? '—',
        },
      ]}
    />
  )
}

/** The target of an action: a platform by title, an operator by name, anything else unchanged. */
function Target({ target }: { target: string | null }) {
  const titles = useTitles()
  if (target === null) return '—'
  const title = titles.ofPlatform(target)
  if (title === target) return <OperatorName by={target} />
  return (
    <Tooltip label={target}>
      <span>{title}</span>
    </Tooltip>
  )
}
