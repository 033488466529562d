import { Stack, Text } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { Time } from '../../components/time.tsx'
import { describeAction, describeDetails } from '../../lib/describe-action.ts'

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <DataTable
      records={entries}
      withTableBorder
      borderRadius="md"
      verticalSpacing="xs"
      // The keyboard scrolls what is wider than the screen.
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      columns={[
        { accessor: 'at', title: 'When', width: 190, render: ({ at }) => <Time at={at} /> },
        { accessor: 'actor', title: 'Who', width: 200 },
        {
          accessor: 'action',
          title: 'What',
          width: 280,
          render: ({ action, details }) => (
            <Stack gap={0}>
              <Text size="sm" fw={600}>
                {describeAction(action)}
              </Text>
              <Text size="xs" c="dimmed">
                {describeDetails(details)}
              </Text>
            </Stack>
          ),
        },
        {
          accessor: 'target',
          title: 'To what',
          width: 200,
          render: ({ target }) => target ?? '–',
        },
        {
          accessor: 'address',
          title: 'From',
          width: 130,
          render: ({ address }) => address ?? '–',
        },
      ]}
    />
  )
}
