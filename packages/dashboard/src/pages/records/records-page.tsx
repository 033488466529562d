import { Button } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconDatabase, IconFileExport, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { HubCallError } from '../../api/call-hub.ts'
import { modulesQuery, usePlatforms } from '../../api/platforms.ts'
import { dataFieldsQuery, recordPageQuery } from '../../api/records.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { notify } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { changeUrlState, useUrlState, writeUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import type { ColumnActions } from './column-header.tsx'
import { moveTo, type PlacedColumn, useColumnLayout, writeLayout } from './column-layout.ts'
import { type Column, columnsOf, listedModules, pathOfColumn } from './columns.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { FilterRows, type NewFilter } from './filter-rows.tsx'
import { ListFooter, totalLabel } from './list-footer.tsx'
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
import { RecordPanel } from './record/record-panel.tsx'
import classes from './records.module.css'
import { MIN_WIDTH, RecordsTable, widthOf } from './records-table.tsx'
import { SlowSortNotice } from './slow-sort-notice.tsx'
import { Toolbar } from './toolbar.tsx'
import { useIndexing } from './use-indexing.ts'
import { ViewsMenu } from './views/views-menu.tsx'

/** The record list: search, filters, sorting, saved views, export, and a record beside it. */
export function RecordsPage() {
  const [state, change] = useUrlState()
  const platforms = usePlatforms()
  const modules = useQuery(modulesQuery(state['platform'] ?? null))
  const page = useQuery(recordPageQuery(listQueryOf(state)))
  const [newFilter, setNewFilter] = useState<NewFilter | null>(null)
  const [isExporting, setExporting] = useState(false)
  const canIndex = useHasRole('operator')

  const platformsError = errorInPlaceOfData(platforms) ?? errorInPlaceOfData(modules)
  const listed = listedModules(platforms.data ?? [], modules.data ?? [], state)
  const [first] = listed
  const module = first && listed.length === 1 ? first : null
  const { indexed, index } = useIndexing(module)
  const data = useQuery(
    dataFieldsQuery(
      module && { platformId: module.platform.id, recordType: module.module.record_type },
    ),
  )
  const fields = (module && data.data?.fields) ?? []
  const columns = columnsOf(listed)
  const { shown, place, reset } = useColumnLayout(state, change, columns)
  // Also those of nested data that are shown can be filtered.
  const known = [...columns, ...shown.filter(({ id }) => !columns.some((one) => one.id === id))]
  const sort = sortOf(state)
  const opened = state['record'] === undefined ? null : Number(state['record'])

  const isIndexed = (column: Column) => {
    const path = pathOfColumn(column)
    return module && path !== null ? indexed.some(({ key }) => key === path) : null
  }
  const actionsFor = (column: Column): ColumnActions => {
    const at = shown.findIndex(({ id }) => id === column.id)
    const placed = shown[at]
    const set = (changes: Partial<PlacedColumn>) =>
      place(shown.map((one) => (one === placed ? { ...one, ...changes } : one)))
    return {
      sort: (by) => change(changeView({ sort: textOfSort(by) })),
      filter: (one) => setNewFilter({ column: one }),
      hide: () => shown.length > 1 && place(shown.filter((one) => one !== placed)),
      move: (by) => place(moveTo(shown, column.id, shown[at + by]?.id)),
      widen: (by) => placed && set({ width: Math.max(MIN_WIDTH, widthOf(placed) + by) }),
      isPinned: placed?.isPinned ?? false,
      pin: () => set({ isPinned: !placed?.isPinned }),
      index:
        canIndex && isIndexed(column) === false && indexed.length < MAX_INDEXED_FIELDS
          ? (one) => void index(pathOfColumn(one) ?? '')
          : null,
    }
  }
  const errorCode = page.error instanceof HubCallError ? page.error.code : ''
  const hasListChanged = errorCode === 'list_changed'
  useEffect(() => {
    if (!hasListChanged) return
    notify(
      'A part of this list has been removed, or its fields have other types. It starts again at its first page.',
    )
    change({ cursor: null }, { replace: true })
  }, [hasListChanged, change])

  const records = page.data?.records ?? []
  const position = records.findIndex(({ record_id }) => record_id === opened)
  const open = (id: number) =>
    change(
      { record: String(id), as_of: null, change: null },
      // Moving on from an open record adds no history entry.
      { replace: opened !== null },
    )
  /** Opens the record before or after the open one; null at an end of the page. */
  const stepOf = (by: -1 | 1) => {
    const next = position === -1 ? undefined : records[position + by]
    return next ? () => open(next.record_id) : null
  }

  function content() {
    if (errorCode === 'sort_too_slow') {
      return (
        <div className={classes['content']}>
          <SlowSortNotice
            column={known.find((column) => column.sort === sort.by) ?? null}
            module={module}
            canIndex={canIndex}
            onUnsort={() => change(changeView({ sort: null }))}
            onBuilt={() => void page.refetch()}
          />
        </div>
      )
    }
    const isLoading = hasListChanged || !page.data || !platforms.data || !modules.data
    const error = platformsError ?? (hasListChanged ? null : errorInPlaceOfData(page))
    if (error) {
      const failed = platforms.isError ? platforms : modules.isError ? modules : page
      const retry = () => void failed.refetch()
      return (
        <div className={classes['content']}>
          <ErrorNotice error={error} onRetry={retry} />
        </div>
      )
    }
    return (
      <>
        <RecordsTable
          label="Records"
          records={isLoading ? undefined : records}
          columns={shown}
          place={place}
          sort={sort}
          filtered={new Set(conditionsOf(state).map(({ key }) => key))}
          isIndexed={isIndexed}
          actionsFor={actionsFor}
          addressOf={({ record_id }) =>
            `/dashboard/records${writeUrlState(changeUrlState(state, { record: String(record_id) }))}`
          }
          open={({ record_id }) => open(record_id)}
          opened={opened}
          isStale={page.isPlaceholderData}
          empty={
            <div className={classes['content']} style={{ flex: 1 }}>
              <NoRecords
                isNarrowed={isFiltered(state)}
                hasPlatforms={listed.length > 0}
                isComplete={page.data?.complete ?? true}
                onClear={() => change(clearFilters(state))}
              />
            </div>
          }
        />
        {page.data && !isLoading && (
          <ListFooter page={page.data} state={state} columns={known} change={change} />
        )}
      </>
    )
  }

  const total = page.data && !isFiltered(state) ? totalLabel(page.data) : ''
  return (
    <div className={classes['page']} data-open={opened !== null || undefined}>
      <section className={classes['list']} aria-label="List of records">
        <Toolbar state={state} change={change} platforms={platforms.data ?? []} total={total}>
          <ViewsMenu state={state} layout={writeLayout(shown)} change={change} />
          <ColumnsMenu
            columns={columns}
            fields={fields}
            shown={shown}
            place={place}
            reset={reset}
          />
          <Button
            variant="default"
            leftSection={<IconFileExport size={16} />}
            disabled={!page.data || page.error !== null}
            onClick={() => setExporting(true)}
          >
            Export
          </Button>
        </Toolbar>
        <FilterRows
          state={state}
          change={change}
          columns={known}
          fields={fields}
          newFilter={newFilter}
          setNewFilter={setNewFilter}
        />
        <div className={classes['notices']}>
          <RemovedFilterPlatform />
          {page.data && <ListNotices page={page.data} change={change} />}
        </div>
        {content()}
      </section>
      {state['record'] !== undefined && (
        <RecordPanel
          key={state['record']}
          id={state['record']}
          state={state}
          change={change}
          platforms={platforms.data ?? []}
          onPrevious={stepOf(-1)}
          onNext={stepOf(1)}
        />
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
    </div>
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
        title={isComplete ? 'No matching records' : 'No matching records found so far'}
        action={
          <Button variant="default" onClick={onClear}>
            Clear search and filters
          </Button>
        }
      >
        Check the search text and the filters, or select another module. A search finds the
        beginnings of words in all values, and any part of names and references.
      </EmptyState>
    )
  }
  return hasPlatforms ? (
    <EmptyState
      icon={<IconDatabase />}
      title="No records yet"
      action={
        <LinkButton to="/dashboard" variant="default">
          Go to overview
        </LinkButton>
      }
    >
      Records appear here when a platform pushes them or a pull receives them.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<IconDatabase />}
      title="No records yet"
      action={<LinkButton to="/dashboard/platforms/new">Register a platform</LinkButton>}
    >
      Register a platform to receive its records.
    </EmptyState>
  )
}
