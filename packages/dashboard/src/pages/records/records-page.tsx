import { Box, Button } from '@mantine/core'
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
import { useUrlState } from '../../lib/url-state.ts'
import {
  readFacets,
  useChoice,
  useColumnLayout,
  useLinkedChoices,
  writeFacets,
  writeLayout,
} from './column-layout.ts'
import { columnsOf, listedModules, withPaths } from './columns.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { FilterRows, type NewFilter } from './filter-rows.tsx'
import { facetPathsOf } from './filters.ts'
import { ListFooter, totalLabel } from './list-footer.tsx'
import { ListNotices } from './list-notices.tsx'
import {
  clearFilters,
  filterQueryOf,
  isFiltered,
  listQueryOf,
  NEWEST_FIRST,
  sortOf,
} from './list-query.ts'
import { RecordPanel } from './record/record-panel.tsx'
import classes from './records.module.css'
import { RecordsTable } from './records-table.tsx'
import { SlowSortNotice } from './slow-sort-notice.tsx'
import { Toolbar } from './toolbar.tsx'
import { useIndexing } from './use-indexing.ts'
import { ViewsMenu } from './views/views-menu.tsx'

/** The record list: search, filters, sorting, saved views, export, and a record beside it. */
export function RecordsPage() {
  const [state, change] = useUrlState()
  const platforms = usePlatforms()
  const modules = useQuery(modulesQuery(state['platform'] ?? null))
  const [unranked, setUnranked] = useState('')
  const isUnranked = sortOf(state).by === 'relevance' && unranked === filterQueryOf(state)
  const order = isUnranked ? { ...state, sort: NEWEST_FIRST } : state
  const page = useQuery(recordPageQuery(listQueryOf(order)))
  const [newFilter, setNewFilter] = useState<NewFilter | null>(null)
  const [isExporting, setExporting] = useState(false)

  const platformsError = errorInPlaceOfData(platforms) ?? errorInPlaceOfData(modules)
  const listed = listedModules(platforms.data ?? [], modules.data ?? [], state)
  const [first] = listed
  const module = first && listed.length === 1 ? first : null
  const indexing = useIndexing(module)
  const data = useQuery(
    dataFieldsQuery(
      module && { platformId: module.platform.id, recordType: module.module.record_type },
    ),
  )
  const fields = (module && data.data?.fields) ?? []
  const columns = columnsOf(listed)
  const contained = withPaths(columns, fields)
  const { shown, place, reset } = useColumnLayout(contained)
  const facets = useChoice('facets')
  useLinkedChoices()
  const counted = facetPathsOf(fields, readFacets(facets.text))
  // Also those that only the layout names can be filtered.
  const known = [
    ...contained,
    ...shown
      .filter(({ id }) => !contained.some((one) => one.id === id))
      .map((column) => ({ ...column, name: column.label, depth: 0 })),
  ]
  const opened = state['record'] === undefined ? null : Number(state['record'])
  const errorCode = page.error instanceof HubCallError ? page.error.code : ''
  // More records match than the hub can rank: the newest first can be listed.
  if (errorCode === 'sort_too_slow' && sortOf(order).by === 'relevance') {
    setUnranked(filterQueryOf(state))
  }
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
    const isLoading = hasListChanged || !page.data || !platforms.data || !modules.data
    const error = platformsError ?? (hasListChanged ? null : errorInPlaceOfData(page))
    const failed = platforms.isError ? platforms : modules.isError ? modules : page
    if (error || errorCode === 'sort_too_slow') {
      return (
        <div className={classes['content']}>
          {errorCode === 'sort_too_slow' ? (
            <SlowSortNotice
              column={known.find((column) => column.sort === sortOf(state).by) ?? null}
              module={module}
              indexing={indexing}
              onBuilt={() => void page.refetch()}
            />
          ) : (
            <ErrorNotice error={error} onRetry={() => void failed.refetch()} />
          )}
        </div>
      )
    }
    return (
      <>
        <RecordsTable
          records={isLoading ? undefined : records}
          opened={opened}
          columns={shown}
          known={known}
          place={place}
          indexing={indexing}
          onFilter={(column) => setNewFilter({ column })}
          onOpen={({ record_id }) => open(record_id)}
          isStale={page.isPlaceholderData}
          empty={
            <div className={classes['content']} style={{ flex: 1 }}>
              <NoRecords
                hasPlatforms={listed.length > 0}
                isComplete={page.data?.complete ?? true}
              />
            </div>
          }
        />
        {page.data && !isLoading && <ListFooter page={page.data} columns={known} order={order} />}
      </>
    )
  }

  const total = page.data && !isFiltered(state) ? totalLabel(page.data) : ''
  return (
    <div className={classes['page']} data-open={opened !== null || undefined}>
      <section className={classes['list']} aria-label="List of records">
        <Toolbar total={total}>
          <ViewsMenu
            layout={{ columns: writeLayout(shown), facets: facets.text || writeFacets(counted) }}
          />
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
          columns={known}
          fields={fields}
          counted={counted}
          setCounted={(paths) => facets.choose(writeFacets(paths))}
          newFilter={newFilter}
          setNewFilter={setNewFilter}
        />
        <Box px={{ base: 'md', sm: 'lg' }}>
          <RemovedFilterPlatform />
          {page.data && <ListNotices page={page.data} order={order} isUnranked={isUnranked} />}
        </Box>
        {content()}
      </section>
      {state['record'] !== undefined && (
        <RecordPanel
          key={state['record']}
          id={state['record']}
          onPrevious={stepOf(-1)}
          onNext={stepOf(1)}
        />
      )}
      {page.data && (
        <ExportDialog
          isOpen={isExporting}
          onClose={() => setExporting(false)}
          page={page.data}
          visible={shown}
        />
      )}
    </div>
  )
}

type NoRecordsProps = { hasPlatforms: boolean; isComplete: boolean }

function NoRecords({ hasPlatforms, isComplete }: NoRecordsProps) {
  const [state, change] = useUrlState()
  if (isFiltered(state)) {
    return (
      <EmptyState
        icon={<IconSearchOff />}
        title={isComplete ? 'No matching records' : 'No matching records found so far'}
        action={
          <Button variant="default" onClick={() => change(clearFilters(state))}>
            Clear search and filters
          </Button>
        }
      >
        Check the search text and the filters, or select another module. A search finds the
        beginnings of words in all values, and any part of names and references.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconDatabase />}
      title="No records yet"
      action={
        hasPlatforms ? (
          <LinkButton to="/dashboard" variant="default">
            Go to overview
          </LinkButton>
        ) : (
          <LinkButton to="/dashboard/platforms/new">Register a platform</LinkButton>
        )
      }
    >
      {hasPlatforms
        ? 'Records appear here when a platform pushes them or a pull receives them.'
        : 'Register a platform to receive its records.'}
    </EmptyState>
  )
}
