import { Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { PlatformLink } from '../platform-link.tsx'
import { TEXTS } from '../texts.tsx'
import { referenceOf } from './advice.ts'

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'

export function RejectedTable({ rejected }: { rejected: RejectedPush[] }) {
  const [state, change] = useUrlState()
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      highlightOnHover
      records={rejected}
      idAccessor="id"
      rowBackgroundColor={(one) =>
        String(one.id) === state['rejected']
          ? { light: 'var(--mantine-color-harbour-0)', dark: 'var(--mantine-color-dark-5)' }
          : undefined
      }
      columns={[
        {
          accessor: 'at',
          title: TEXTS.time,
          width: 215,
          noWrap: true,
          visibleMediaQuery: FROM_TABLET,
          render: ({ at }) => (
            <Text span size="sm" c="dimmed">
              <Time at={at} seconds />
            </Text>
          ),
        },
        {
          accessor: 'method',
          title: TEXTS.source,
          width: 90,
          visibleMediaQuery: FROM_TABLET,
          render: ({ method }) => <MethodBadge method={method} />,
        },
        {
          accessor: 'platform_name',
          title: TEXTS.platform,
          width: 170,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ platform_name, record_type }) => (
            <Stack gap={2}>
              <PlatformLink name={platform_name} />
              <Text size="xs" c="dimmed">
                <ModuleTitle platform={platform_name} recordType={record_type} />
              </Text>
            </Stack>
          ),
        },
        {
          accessor: 'message',
          title: TEXTS.recordAndReason,
          render: (one) => (
            <Stack gap={2}>
              <UnstyledButton
                onClick={() => change({ rejected: String(one.id) })}
                aria-haspopup="dialog"
              >
                <Text size="sm" fw={600}>
                  {referenceOf(one.body)}
                </Text>
                <Text size="sm" lineClamp={2}>
                  {one.message}
                </Text>
              </UnstyledButton>
              <Group gap={6} hiddenFrom="sm">
                <ReplayState rejected={one} />
                <MethodBadge method={one.method} />
                <Text size="xs" c="dimmed">
                  <Time at={one.at} seconds />
                </Text>
              </Group>
            </Stack>
          ),
        },
        {
          accessor: 'count',
          title: TEXTS.count,
          textAlign: 'right',
          width: 80,
          visibleMediaQuery: FROM_TABLET,
          render: ({ count }) => formatNumber(count),
        },
        {
          accessor: 'replayed_at',
          title: TEXTS.state,
          width: 110,
          visibleMediaQuery: FROM_TABLET,
          render: (one) => <ReplayState rejected={one} />,
        },
      ]}
    />
  )
}

export function MethodBadge({ method }: { method: RejectedPush['method'] }) {
  return (
    <Badge variant="default" size="sm" tt="none">
      {method === 'pull' ? TEXTS.pulled : method}
    </Badge>
  )
}

function ReplayState({ rejected: { replayed_at, accepted_at } }: { rejected: RejectedPush }) {
  if (replayed_at !== null) return <StatusBadge status="resolved" label={TEXTS.replayed} />
  if (accepted_at !== null) return <StatusBadge status="accepted" label={TEXTS.acceptedException} />
  return <StatusBadge status="open" label={TEXTS.open} />
}
