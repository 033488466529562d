import { Group, Select, TextInput } from '@mantine/core'
import { IconPlugConnected, IconPlus, IconSearch } from '@tabler/icons-react'
import { usePlatforms } from '../../api/platforms.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { Pager } from '../../components/pager.tsx'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { filterPlatforms, HEALTH_LABELS, HEALTHS, isSort } from './platform-list.ts'
import { PlatformsTable } from './platforms-table.tsx'
import { RemovalList } from './removal-list.tsx'
import { TEXTS } from './texts.tsx'

const PAGE = 100

export function PlatformsPage() {
  const [{ q = '', status = '', health = '', sort, direction, cursor }, changeUrl] = useUrlState()
  const platforms = usePlatforms()
  const canRegister = useHasRole('operator')
  const register = canRegister && (
    <LinkButton to="/dashboard/platforms/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {TEXTS.registerAPlatform}
    </LinkButton>
  )
  const order = {
    sort: isSort(sort) ? sort : 'title',
    direction: direction === 'desc' ? 'desc' : 'asc',
  } as const
  const all = platforms.data ?? []
  const chosen = filterPlatforms(all, { text: q, status, health }, order)
  const start = Number(cursor) < chosen.length ? Math.max(0, Number(cursor)) : 0
  const end = start + PAGE
  const records = all.reduce((sum, one) => sum + one.records, 0)
  if (platforms.isPending) return <PageSkeleton />
  return (
    <>
      <PageHeader
        title={TEXTS.platforms}
        description={`${formatCount(all.length, 'platform')}, ${formatCount(records, 'record')}`}
      >
        {all.length > 0 && register}
      </PageHeader>
      {canRegister && <RemovalList />}
      {platforms.isError && (
        <ErrorNotice error={platforms.error} onRetry={() => void platforms.refetch()} />
      )}
      {platforms.isSuccess && all.length === 0 && (
        <EmptyState
          icon={<IconPlugConnected />}
          title={TEXTS.noPlatformsRegistered}
          action={register || undefined}
        >
          {TEXTS.noPlatformsRegisteredHint}
        </EmptyState>
      )}
      {all.length > 0 && (
        <>
          <Group mb="sm" gap="xs">
            <TextInput
              aria-label={TEXTS.filterTitleNameAddress}
              placeholder={TEXTS.titleNameAddress}
              leftSection={<IconSearch size={16} aria-hidden />}
              value={q}
              w={{ base: '100%', xs: 260 }}
              onChange={({ currentTarget }) =>
                changeUrl({ q: currentTarget.value, cursor: null }, { replace: true })
              }
            />
            <Select
              aria-label={TEXTS.status}
              placeholder={TEXTS.anyStatus}
              clearable
              w={150}
              data={[
                { value: 'active', label: TEXTS.active },
                { value: 'inactive', label: TEXTS.inactive },
              ]}
              value={status || null}
              onChange={(value) => changeUrl({ status: value, cursor: null })}
            />
            <Select
              aria-label={TEXTS.health}
              placeholder={TEXTS.anyHealth}
              clearable
              w={170}
              data={HEALTHS.map((value) => ({ value, label: HEALTH_LABELS[value] }))}
              value={health || null}
              onChange={(value) => changeUrl({ health: value, cursor: null })}
            />
          </Group>
          <PlatformsTable
            platforms={chosen.slice(start, end)}
            order={order}
            onOrder={({ sort, direction }) => changeUrl({ sort, direction, cursor: null })}
          />
          <Pager next={end < chosen.length ? String(end) : null} isStale={false} />
        </>
      )}
    </>
  )
}
