import { Button, Group, Skeleton } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconDatabase, IconFileExport, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { HubCallError } from '../../api/call-hub.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { recordPageQuery } from '../../api/records.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { notify } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { changeUrlState, useUrlState, writeUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import type { ColumnActions } from './column-header.tsx'
import { moveTo, type PlacedColumn, useColumnLayout } from './column-layout.ts'
import { type Column, columnsOf, listedModules } from './columns.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { RecordDrawer } from './drawer/record-drawer.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { FilterBar, type NewFilter } from './filter-bar.tsx'
import { ListControls } from './list-controls.tsx'
import { ListFooter } from './list-footer.tsx'
import { ListNotices } from './list-notices.tsx'
import {
  changeView,
  clearFilters,
  conditionsOf,
  isFiltered,
  listQueryOf,
  sortOf,
  textOfSort,
} from './list-query.ts'
import { MIN_WIDTH, RecordsTable, widthOf } from './records-table.tsx'
import { SlowSortNotice } from './slow-sort-notice.tsx'
import { TEXTS } from './texts.tsx'
import { useIndexing } from './use-indexing.ts'
import { ViewsMenu } from './views/views-menu.tsx'

/** The record list: search, filters, sorting, saved views, export, and the record drawer. */
export function RecordsPage() {
  const [state, change] = useUrlState()
  const platforms = usePlatforms()
  const page = useQuery(recordPageQuery(listQueryOf(state)))
  const [newFilter, setNewFilter] = useState<NewFilter | null>(null)
  const [isExporting, setExporting] = useState(false)
  const canIndex = useHasRole('operator')

  const platformsError = errorInPlaceOfData(platforms)
  const listed = listedModules(platforms.data ?? [], state)
  const [first] = listed
  const module = first && listed.length === 1 ? first : null
  const { indexed, index } = useIndexing(module)
  const columns = columnsOf(listed)
  const { shown, place, reset } = useColumnLayout(state, change, columns)
  const sort = sortOf(state)
  const opened = state['record'] === undefined ? null : Number(state['record'])

  const isIndexed = (column: Column) =>
    module && column.id.startsWith('data.')
      ? indexed.some(({ key }) => key === column.exported)
      : null
  function layoutActionsFor({ id }: Column) {
    const index = shown.findIndex((one) => one.id === id)
    const placed = shown[index]
    const set = (changes: Partial<PlacedColumn>) =>
      place(shown.map((one) => (one === placed ? { ...one, ...changes } : one)))
    return {
      hide: () => shown.length > 1 && place(shown.filter((one) => one !== placed)),
      move: (by: -1 | 1) => place(moveTo(shown, id, shown[index + by]?.id)),
      widen: (by: number) => placed && set({ width: Math.max(MIN_WIDTH, widthOf(placed) + by) }),
      isPinned: placed?.isPinned ?? false,
      pin: () => set({ isPinned: !placed?.isPinned }),
    }
  }
  const actionsFor = (column: Column): ColumnActions => ({
    sort: (by) => change(changeView({ sort: textOfSort(by) })),
    filter: (one) => setNewFilter({ column: one }),
    ...layoutActionsFor(column),
    index:
      canIndex && isIndexed(column) === false && indexed.length < MAX_INDEXED_FIELDS
        ? (one) => void index(one.exported)
        : null,
  })
  const errorCode = page.error instanceof HubCallError ? page.error.code : ''
  const hasListChanged = errorCode === 'list_changed'
  useEffect(() => {
    if (!hasListChanged) return
    notify(TEXTS.listChanged)
    change({ cursor: null }, { replace: true })
  }, [hasListChanged, change])

  function content() {
    const skeleton = <Skeleton height={400} aria-busy />
    if (hasListChanged) return skeleton
    if (errorCode === 'sort_too_slow') {
      return (
        <SlowSortNotice
          column={columns.find((column) => column.sort === sort.by) ?? null}
          module={module}
          canIndex={canIndex}
          onUnsort={() => change(changeView({ sort: null }))}
          onBuilt={() => void page.refetch()}
        />
      )
    }
    const error = errorInPlaceOfData(page)
    if (error) return <ErrorNotice error={error} onRetry={() => void page.refetch()} />
    if (!page.data || !platforms.data) return skeleton
    return (
      <>
        <ListNotices page={page.data} change={change} />
        <RecordsTable
          label={TEXTS.records}
          records={page.data.records}
          columns={shown}
          place={place}
          sort={sort}
          filtered={new Set(conditionsOf(state).map(({ key }) => key))}
          isIndexed={isIndexed}
          actionsFor={actionsFor}
          addressOf={({ record_id }) =>
            `/dashboard/records${writeUrlState(changeUrlState(state, { record: String(record_id) }))}`
          }
          open={({ record_id }) =>
            change(
              { record: String(record_id), as_of: null, change: null },
              { replace: opened !== null },
            )
          }
          opened={opened}
          isStale={page.isPlaceholderData}
          empty={
            <NoRecords
              isNarrowed={isFiltered(state)}
              hasPlatforms={listed.length > 0}
              isComplete={page.data.complete}
              onClear={() => change(clearFilters(state))}
            />
          }
        />
        <ListFooter page={page.data} state={state} change={change} />
      </>
    )
  }

  return (
    <>
      <PageHeader title={TEXTS.records} description={TEXTS.recordsDescription}>
        <ViewsMenu state={state} change={change} />
        <Button
          variant="default"
          leftSection={<IconFileExport size={16} />}
          disabled={!page.data || page.error !== null}
          onClick={() => setExporting(true)}
        >
          {TEXTS.export}
        </Button>
      </PageHeader>
      <ListControls state={state} change={change} platforms={platforms.data ?? []} />
      <Group justify="space-between" align="flex-start" mb="sm" gap="sm">
        <FilterBar
          state={state}
          change={change}
          columns={columns}
          newFilter={newFilter}
          setNewFilter={setNewFilter}
        />
        <ColumnsMenu columns={columns} shown={shown} place={place} reset={reset} />
      </Group>
      <RemovedFilterPlatform />
      {platformsError ? (
        <ErrorNotice error={platformsError} onRetry={() => void platforms.refetch()} />
      ) : (
        content()
      )}
      {page.data && (
        <ExportDialog
          isOpen={isExporting}
          onClose={() => setExporting(false)}
          state={state}
          page={page.data}
          visible={shown}
        />
      )}
      <RecordDrawer state={state} change={change} platforms={platforms.data ?? []} />
    </>
  )
}

function NoRecords({
  isNarrowed,
  hasPlatforms,
  isComplete,
  onClear,
}: {
  isNarrowed: boolean
  hasPlatforms: boolean
  isComplete: boolean
  onClear: () => void
}) {
  if (isNarrowed) {
    return (
      <EmptyState
        icon={<IconSearchOff />}
        title={isComplete ? TEXTS.noMatchingRecords : TEXTS.noMatchingRecordsSoFar}
        action={
          <Button variant="light" onClick={onClear}>
            {TEXTS.clearSearchFilters}
          </Button>
        }
      >
        {TEXTS.noMatchingRecordsHint}
      </EmptyState>
    )
  }
  const [to, action, message] = hasPlatforms
    ? (['/dashboard', TEXTS.goToOverview, TEXTS.noRecordsYetHint] as const)
    : (['/dashboard/platforms/new', TEXTS.registerAPlatform, TEXTS.noPlatformsHint] as const)
  return (
    <EmptyState
      icon={<IconDatabase />}
      title={TEXTS.noRecordsYet}
      action={
        <Button variant="light" renderRoot={(props) => <Link to={to} {...props} />}>
          {action}
        </Button>
      }
    >
      {message}
    </EmptyState>
  )
}
