import { Button, Group } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconDatabase, IconFileExport, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { HubCallError } from '../../api/call-hub.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { recordPageQuery } from '../../api/records.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { mayActAs, session } from '../../api/session.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { changeUrlState, useUrlState, writeUrlState } from '../../lib/url-state.ts'
import { useStore } from '../../lib/use-store.ts'
import { arrange, isShown, keyOfChoice, move, toggle } from './column-choice.ts'
import type { ColumnActions } from './column-header.tsx'
import { type Column, columnsOf, placesOf } from './columns.ts'
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
  isNarrowed,
  listQueryOf,
  sortOf,
  textOfSort,
} from './list-query.ts'
import { RecordsTable, TableSkeleton } from './records-table.tsx'
import { SortRefused } from './sort-refused.tsx'
import { useColumnChoice } from './use-column-choice.ts'
import { useIndexing } from './use-indexing.ts'
import { ViewsMenu } from './views/views-menu.tsx'

/** The records of all platforms: found, filtered, sorted, opened, taken away as a file. */
export function RecordsPage() {
  const [state, change] = useUrlState()
  const platforms = usePlatforms()
  const page = useQuery(recordPageQuery(listQueryOf(state)))
  const { choice, choose, resets } = useColumnChoice(state)
  const [adding, setAdding] = useState<NewFilter | null>(null)
  const [isExporting, setExporting] = useState(false)
  const role = useStore(session).operator?.role
  const mayIndex = mayActAs(role, 'operator')

  const platformsError = errorInPlaceOfData(platforms)
  const places = placesOf(platforms.data ?? [], state)
  const [first] = places
  const place = first && places.length === 1 ? first : null
  const { indexed, index } = useIndexing(place)
  const columns = columnsOf(places)
  const visible = arrange(columns, choice).filter((column) => isShown(column, choice))
  const widthsKey = `${keyOfChoice(state)} ${visible.map(({ id }) => id).join()}`
  const sort = sortOf(state)
  const opened = state['record'] === undefined ? null : Number(state['record'])

  const isIndexed = (column: Column) =>
    place && column.id.startsWith('data.')
      ? indexed.some(({ key }) => key === column.exported)
      : null
  const actionsFor = (column: Column): ColumnActions => ({
    sort: (by) => change(changeView({ sort: textOfSort(by) })),
    filter: (one) => setAdding({ column: one }),
    hide: (one) => visible.length > 1 && choose(toggle(one, choice)),
    move: (one, by) => choose(move(columns, choice, one, by)),
    index:
      mayIndex && isIndexed(column) === false && indexed.length < MAX_INDEXED_FIELDS
        ? (one) => void index(one.exported)
        : null,
  })
  const isSortRefused = page.error instanceof HubCallError && page.error.code === 'sort_too_slow'

  function content() {
    if (isSortRefused) {
      return (
        <SortRefused
          column={columns.find((column) => column.sort === sort.by) ?? null}
          place={place}
          mayIndex={mayIndex}
          onUnsort={() => change(changeView({ sort: null }))}
          onBuilt={() => void page.refetch()}
        />
      )
    }
    const error = errorInPlaceOfData(page)
    if (error) return <ErrorNotice error={error} onRetry={() => void page.refetch()} />
    if (!page.data || !platforms.data) return <TableSkeleton />
    return (
      <>
        <ListNotices page={page.data} change={change} />
        <RecordsTable
          // It reads the widths when it is mounted.
          key={`${widthsKey} ${resets}`}
          records={page.data.records}
          columns={visible}
          sort={sort}
          filtered={new Set(conditionsOf(state).map(({ key }) => key))}
          isIndexed={isIndexed}
          actionsFor={actionsFor}
          addressOf={({ record_id }) =>
            `/dashboard/records${writeUrlState(changeUrlState(state, { record: String(record_id) }))}`
          }
          open={({ record_id }) =>
            change({ record: String(record_id), as_of: null }, { replace: opened !== null })
          }
          opened={opened}
          isFetching={page.isPlaceholderData}
          widthsKey={widthsKey}
          empty={
            <NoRecords
              isNarrowed={isNarrowed(state)}
              hasPlatforms={places.length > 0}
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
      <PageHeader title="Records" description="What the platforms have sent and what was pulled">
        <ViewsMenu state={state} change={change} />
        <Button
          variant="default"
          leftSection={<IconFileExport size={16} />}
          disabled={!page.data || page.error !== null}
          onClick={() => setExporting(true)}
        >
          Export
        </Button>
      </PageHeader>
      <ListControls state={state} change={change} platforms={platforms.data ?? []} />
      <Group justify="space-between" align="flex-start" mb="sm" gap="sm">
        <FilterBar
          state={state}
          change={change}
          columns={columns}
          adding={adding}
          setAdding={setAdding}
        />
        <ColumnsMenu columns={columns} choice={choice} choose={choose} />
      </Group>
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
          visible={visible}
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
        title={isComplete ? 'No record fits' : 'Nothing found so far'}
        action={
          <Button variant="light" onClick={onClear}>
            Clear search and filters
          </Button>
        }
      >
        Check the words and the filters, or look in another module.
      </EmptyState>
    )
  }
  const [to, action, words] = hasPlatforms
    ? ([
        '/dashboard',
        'To the overview',
        'They come when a platform pushes, or with a pull.',
      ] as const)
    : ([
        '/dashboard/platforms/new',
        'Register a platform',
        'Register a platform, and its records appear here.',
      ] as const)
  return (
    <EmptyState
      icon={<IconDatabase />}
      title="No records yet"
      action={
        <Button variant="light" renderRoot={(props) => <Link to={to} {...props} />}>
          {action}
        </Button>
      }
    >
      {words}
    </EmptyState>
  )
}
