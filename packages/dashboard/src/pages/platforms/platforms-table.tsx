import { PageLink } from '../../components/page-link.tsx'
import { TEXTS } from './texts.tsx'
import 'mantine-datatable/styles.css'
import { Badge, Stack, Text, Tooltip } from '@mantine/core'
import type { Platform, PlatformSummary } from '@recordhub/protocol'
import { useNavigate } from '@tanstack/react-router'
import { DataTable } from 'mantine-datatable'
import { MessageText } from '../../components/message-text.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { type Direction, HEALTH_LABELS, type Health, isSort, type Sort } from './platform-list.ts'

const WIDE = '(min-width: 48em)'

type Order = { sort: Sort; direction: Direction }

export function PlatformsTable({
  platforms,
  order,
  onOrder,
}: {
  platforms: Platform[]
  order: Order
  onOrder: (order: Order) => void
}) {
  const navigate = useNavigate()
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      highlightOnHover
      minHeight={platforms.length === 0 ? 160 : 0}
      noRecordsText={TEXTS.noMatchingPlatforms}
      records={platforms}
      idAccessor="id"
      sortStatus={{ columnAccessor: order.sort, direction: order.direction }}
      onSortStatusChange={({ columnAccessor, direction }) => {
        const sort = String(columnAccessor)
        if (isSort(sort)) onOrder({ sort, direction })
      }}
      onRowClick={({ record }) =>
        void navigate({ to: '/dashboard/platforms/$id', params: { id: String(record.id) } })
      }
      columns={[
        {
          accessor: 'title',
          title: TEXTS.platform,
          sortable: true,
          render: (platform) => <Title platform={platform} />,
        },
        {
          accessor: 'status',
          sortable: true,
          width: 110,
          visibleMediaQuery: WIDE,
          render: ({ status }) => <StatusBadge status={status} />,
        },
        {
          accessor: 'modules',
          sortable: true,
          width: 130,
          visibleMediaQuery: WIDE,
          render: ({ modules_registered }) => `${formatNumber(modules_registered)} registered`,
        },
        {
          accessor: 'records',
          sortable: true,
          width: 110,
          textAlign: 'right',
          visibleMediaQuery: WIDE,
          render: ({ records }) => formatNumber(records),
        },
        {
          accessor: 'synced',
          title: TEXTS.latestSync,
          sortable: true,
          width: 200,
          visibleMediaQuery: WIDE,
          render: ({ latest_sync_at }) => <Time at={latest_sync_at} />,
        },
        {
          accessor: 'pushed',
          title: TEXTS.lastPush,
          sortable: true,
          width: 200,
          visibleMediaQuery: WIDE,
          render: ({ last_push_at }) => <Time at={last_push_at} />,
        },
        {
          accessor: 'health',
          sortable: true,
          width: 150,
          render: (platform) => <HealthBadge platform={platform} />,
        },
      ]}
    />
  )
}

function Title({ platform }: { platform: Platform }) {
  const { id, display_title, platform_name, modules_registered, records } = platform
  return (
    <Stack gap={0}>
      <PageLink
        to="/dashboard/platforms/$id"
        params={{ id: String(id) }}
        fw={600}
        onClick={(event) => event.stopPropagation()}
      >
        {display_title}
      </PageLink>
      <Text size="xs" c="dimmed">
        {platform_name}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {TEXTS.registeredCounts(modules_registered, formatCount(records, 'record'))}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        {TEXTS.latestSyncAt(<Time at={platform.latest_sync_at} />)}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        {TEXTS.lastPushAt(<Time at={platform.last_push_at} />)}
      </Text>
    </Stack>
  )
}

const COLORS: Readonly<Record<Health, string>> = {
  healthy: 'green',
  failing: 'red',
  needs_attention: 'yellow',
  new: 'blue',
  inactive: 'gray',
}

/** The health of a platform, with the reasons on hover and focus. */
function HealthBadge({ platform }: { platform: PlatformSummary }) {
  const { state, reasons } = platform.health
  const hasReasons = reasons.length > 0
  const badge = (
    <Badge variant="dot" color={COLORS[state]} tt="none" tabIndex={hasReasons ? 0 : undefined}>
      {HEALTH_LABELS[state]}
    </Badge>
  )
  const label = reasons.map(({ code, message }) => (
    <div key={code}>
      <MessageText message={message} />
    </div>
  ))
  return hasReasons ? (
    <Tooltip label={label} multiline maw={360}>
      {badge}
    </Tooltip>
  ) : (
    badge
  )
}
