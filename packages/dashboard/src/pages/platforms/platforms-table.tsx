import { Badge, Tooltip } from '@mantine/core'
import type { PlatformSummary } from '@recordhub/protocol'
import { useNavigate } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type Direction, HEALTH_LABELS, type Health, isSort, type Sort } from './platform-list.ts'
import { TEXTS } from './texts.tsx'

const column = columnsFor<PlatformSummary>()

type Order = { sort: Sort; direction: Direction }

export function PlatformsTable({
  platforms,
  order,
  onOrder,
}: {
  /** Undefined while they load. */
  platforms: PlatformSummary[] | undefined
  order: Order
  onOrder: (order: Order) => void
}) {
  const navigate = useNavigate()
  return (
    <ListTable
      label={TEXTS.platforms}
      rows={platforms}
      idOf={({ id }) => id}
      empty={<EmptyState title={TEXTS.noMatchingPlatforms} />}
      sort={{
        by: order.sort,
        descending: order.direction === 'desc',
        onSort: ({ by, descending }) => {
          if (isSort(by)) onOrder({ sort: by, direction: descending ? 'desc' : 'asc' })
        },
      }}
      onOpen={({ id }) =>
        void navigate({ to: '/dashboard/platforms/$id', params: { id: String(id) } })
      }
      columns={[
        column.of(TEXTS.platform, (platform) => <Title platform={platform} />, {
          sort: 'title',
        }),
        column.of(TEXTS.status, ({ status }) => <StatusBadge status={status} />, {
          sort: 'status',
          width: 100,
          phone: 'none',
        }),
        column.of(
          TEXTS.modules,
          ({ modules_registered }) => `${formatNumber(modules_registered)} registered`,
          { sort: 'modules', width: 120, from: 'desktop' },
        ),
        column.number(TEXTS.records, ({ records }) => records, { sort: 'records' }),
        column.time(TEXTS.latestSync, ({ latest_sync_at }) => latest_sync_at, {
          sort: 'synced',
          exact: true,
          from: 'desktop',
          phone: 'labelled',
        }),
        column.time(TEXTS.lastPush, ({ last_push_at }) => last_push_at, {
          sort: 'pushed',
          width: 150,
          phone: 'labelled',
        }),
        column.of(TEXTS.health, (platform) => <HealthBadge platform={platform} />, {
          sort: 'health',
          width: 150,
          phone: 'end',
        }),
      ]}
    />
  )
}

function Title({ platform: { id, display_title, platform_name } }: { platform: PlatformSummary }) {
  return (
    <>
      <PageLink to="/dashboard/platforms/$id" params={{ id: String(id) }} fw={600}>
        {display_title}
      </PageLink>
      <Below>{platform_name}</Below>
    </>
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
