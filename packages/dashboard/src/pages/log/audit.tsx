/** The audit log: who did what and from where. */
import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { IconFileExport, IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { usePlatforms } from '../../api/platforms.ts'
import { auditQuery } from '../../api/settings.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterChips, FilterSelect, FilterTime } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PlatformLink } from '../../components/platform-link.tsx'
import { Second } from '../../components/time.tsx'
import { AUDIT_ACTIONS, actionLabel, detailsLabel } from '../../lib/audit-labels.ts'
import { formatCount, formatDay } from '../../lib/format.ts'
import { toParameters, useUrlState } from '../../lib/url-state.ts'
import { SearchInput } from '../activity/list-parts.tsx'
import { type FoldedRow, fold } from './activity-rows.ts'
import { FoldButton, Retention } from './log-parts.tsx'

const FILTERS = ['actor', 'action', 'target', 'since', 'until'] as const
const MAX_HOURS = 720

export function AuditTab() {
  const [state, change] = useUrlState()
  const { actor, action, target, since: from, until } = state
  const filters = Object.fromEntries(toParameters({ actor, action, target, from, until }))
  const found = useInfiniteQuery(auditQuery(filters))
  const isFiltered = Object.keys(filters).length > 0
  const search = (label: string, name: 'actor' | 'target') => (
    <SearchInput
      aria-label={label}
      placeholder={label}
      w={150}
      value={state[name] ?? ''}
      onSearch={(text) => change({ [name]: text.trim() }, { replace: true })}
    />
  )
  return (
    <>
      <FilterChips label="Filters">
        <FilterSelect
          label="Action"
          name="action"
          choices={AUDIT_ACTIONS.map((value) => ({ value, label: actionLabel(value) }))}
        />
        <FilterTime maxHours={MAX_HOURS} />
        {search('User', 'actor')}
        {search('Target', 'target')}
        {isFiltered && (
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, null])))}
          >
            Clear filters
          </Button>
        )}
      </FilterChips>
      {found.isError ? (
        <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <AuditTable
          entries={found.data?.pages.flatMap(({ audit }) => audit)}
          empty={
            <EmptyState
              icon={<IconHistory />}
              title={isFiltered ? 'No matching entries' : 'No entries yet'}
            >
              {isFiltered
                ? 'Check the filters. User and target must match exactly.'
                : 'Actions of operators and programs appear here.'}
            </EmptyState>
          }
          more={
            found.hasNextPage
              ? {
                  label: 'Show older',
                  isLoading: found.isFetchingNextPage,
                  onLoad: () => void found.fetchNextPage(),
                }
              : null
          }
        />
      )}
      <Group gap="xs" mt="sm">
        <Text size="xs" c="dimmed" mr="auto">
          Entries cannot be changed. <Retention name="audit" />
        </Text>
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            size="compact-xs"
            variant="default"
            leftSection={<IconFileExport size={14} aria-hidden />}
            component="a"
            href={`/api/v1/audit/export?${new URLSearchParams({ ...filters, format })}`}
            download
          >
            Export as {format.toUpperCase()}
          </Button>
        ))}
      </Group>
    </>
  )
}

const column = columnsFor<FoldedRow<AuditEntry>>()

function AuditTable(props: {
  entries: AuditEntry[] | undefined
  empty: ReactNode
  more: { label: string; isLoading: boolean; onLoad: () => void } | null
}) {
  const { entries, empty, more } = props
  const [, change] = useUrlState()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const now = Date.now()
  const dayOf = (at: string) => formatDay(at, now)
  const keyOf = ({ actor, action, target, at }: AuditEntry) =>
    JSON.stringify([actor, action, target, dayOf(at)])
  /** A value that filters the list by itself. */
  const filter = (name: (typeof FILTERS)[number], value: string, children: ReactNode) => (
    <UnstyledButton fz="inherit" title="Show only these" onClick={() => change({ [name]: value })}>
      {children}
    </UnstyledButton>
  )
  return (
    <ListTable
      label="Audit log"
      rows={entries && fold(entries, { keyOf, groupOf: ({ actor }) => actor, opened })}
      idOf={({ id }) => id}
      empty={empty}
      more={more}
      headingOf={({ entry: { at } }) => ({ id: dayOf(at), content: dayOf(at) })}
      lookOf={({ isChild }) => (isChild ? 'sunken' : undefined)}
      columns={[
        column.of('Time', ({ entry: { at } }) => <Second at={at} />, { width: 116, phone: 'end' }),
        column.of(
          'Who',
          ({ entry: { actor } }) => filter('actor', actor, <OperatorName by={actor} />),
          { width: 170 },
        ),
        column.of(
          'What',
          ({ id, entry: { action }, entries: all }) => (
            <>
              {filter('action', action, <Text size="sm">{actionLabel(action)}</Text>)}
              {all.length > 1 && (
                <FoldButton
                  count={all.length}
                  isOpen={opened.has(id)}
                  onClick={() => setOpened(opened.symmetricDifference(new Set([id])))}
                />
              )}
            </>
          ),
          { phone: 'first' },
        ),
        column.of('Object', ({ entry }) => <Target entry={entry} />, { width: 190 }),
        column.of(
          'Change',
          ({ entry, entries: all }) => <MessageText message={changeOf(entry, all)} />,
          { phone: 'line' },
        ),
        column.text('From', ({ entry: { address } }) => address, {
          width: 130,
          from: 'desktop',
          phone: 'none',
        }),
      ]}
    />
  )
}

/** What an entry changed; of a line that sums up several, how often it changed something else. */
function changeOf({ details }: AuditEntry, all: readonly AuditEntry[]): string {
  const label = detailsLabel(details) || '—'
  const others = all.filter((one) => (detailsLabel(one.details) || '—') !== label).length
  return others === 0 ? label : `${label} and ${formatCount(others, 'other change')}`
}

/** The target of an action, as a link where a page shows it: a platform, a pull or a revert. */
function Target({ entry: { target } }: { entry: AuditEntry }) {
  const { data: platforms = [] } = usePlatforms()
  if (target === null) return '—'
  const [, kind, id] = /^(pull|revert) ([1-9]\d*)$/.exec(target) ?? []
  if (id !== undefined) {
    const to = kind === 'pull' ? '/dashboard/pulls/$id' : '/dashboard/reverts/$id'
    return (
      <PageLink to={to} params={{ id }} size="sm">
        {target}
      </PageLink>
    )
  }
  if (platforms.some((one) => one.platform_name === target)) return <PlatformLink name={target} />
  return <OperatorName by={target} />
}
