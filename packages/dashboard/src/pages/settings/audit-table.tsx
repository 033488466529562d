import { Stack, Text, Tooltip } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { useTitles } from '../../api/platforms.ts'
import { OperatorName } from '../../components/operator-name.tsx'
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
        { accessor: 'at', title: 'When', width: 215, render: ({ at }) => <Time at={at} seconds /> },
        {
          accessor: 'actor',
          title: 'Who',
          width: 200,
          render: ({ actor }) => <OperatorName by={actor} />,
        },
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
          render: ({ target }) => <Target target={target} />,
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

/** What was acted on: a platform by its title, an operator by name, anything else as it is called. */
function Target({ target }: { target: string | null }) {
  const titles = useTitles()
  if (target === null) return '–'
  const title = titles.ofPlatform(target)
  if (title === target) return <OperatorName by={target} />
  return (
    <Tooltip label={target}>
      <span>{title}</span>
    </Tooltip>
  )
}
