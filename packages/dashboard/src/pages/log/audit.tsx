/** The audit log: who did what and from where. */
import { Text, UnstyledButton } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { AUDIT_ACTIONS } from '@recordhub/protocol/constants'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { operatorsQuery } from '../../api/operators.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { auditQuery, tokensQuery } from '../../api/settings.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterChip, FilterChips, FilterSelect, FilterTime } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PlatformLink } from '../../components/platform-link.tsx'
import { Second } from '../../components/time.tsx'
import {
  ACTIONS,
  actionLabel,
  detailsLabel,
  GROUP_LABELS,
  targetLink,
} from '../../lib/audit-labels.ts'
import { type Choice, platformChoices } from '../../lib/choices.ts'
import { formatCount, formatDay, formatNumber } from '../../lib/format.ts'
import { toParameters, type UrlState, useUrlState } from '../../lib/url-state.ts'
import { type FoldedRow, fold } from './activity-rows.ts'
import { FoldButton, Retention } from './log-parts.tsx'

const FILTERS = ['actor', 'group', 'action', 'target', 'since', 'until'] as const
const MAX_HOURS = 720

/** The parameters of the list of a state. */
export function auditFilters(state: UrlState): Record<string, string> {
  const { actor, group, action, target, since: from, until } = state
  return Object.fromEntries(toParameters({ actor, group, action, target, from, until }))
}

export function AuditTab() {
  const [state, change] = useUrlState()
  const { group, action } = state
  const filters = auditFilters(state)
  const found = useInfiniteQuery(auditQuery(filters))
  const isFiltered = Object.keys(filters).length > 0
  const { data: platforms = [] } = usePlatforms()
  const entries = found.data?.pages.flatMap(({ audit }) => audit)
  // Only a list that is loaded to its end has counts.
  const whole = found.hasNextPage ? undefined : entries
  const countOf = (isCounted: boolean, matches: (entry: AuditEntry) => boolean) =>
    whole && isCounted ? { count: formatNumber(whole.filter(matches).length) } : {}
  return (
    <>
      <FilterChips label="Filters">
        <FilterChip
          label="All"
          {...countOf(!isFiltered, () => true)}
          isPressed={!isFiltered}
          onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, null])))}
        />
        {Object.entries(GROUP_LABELS).map(([name, label]) => (
          <FilterChip
            key={name}
            label={label}
            // A chip removes the filter by action.
            {...countOf(!action && (group ?? name) === name, (one) => groupOf(one) === name)}
            isPressed={group === name}
            onClick={() => change({ group: group === name ? null : name, action: null })}
          />
        ))}
        <FilterSelect label="Action" name="action" choices={ACTIONS} />
        <FilterSelect label="Person" name="actor" choices={useActors()} />
        <FilterSelect label="Platform" name="target" choices={platformChoices(platforms)} />
        <FilterTime maxHours={MAX_HOURS} />
      </FilterChips>
      {found.isError ? (
        <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <AuditTable
          entries={entries}
          empty={
            <EmptyState
              icon={<IconHistory />}
              title={isFiltered ? 'No matching entries' : 'No entries yet'}
            >
              {isFiltered
                ? 'Choose other filters.'
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
      <Text size="xs" c="dimmed" mt="sm">
        Entries cannot be changed. <Retention name="audit" />
      </Text>
    </>
  )
}

function groupOf({ action }: AuditEntry): string | undefined {
  return Object.entries(AUDIT_ACTIONS).find(([, actions]) =>
    actions.some((one) => one === action),
  )?.[0]
}

/** Those who are known to the hub now, as the log names them; another one is chosen by a click on its name. */
function useActors(): Choice[] {
  const { data: { operators } = { operators: [] } } = useQuery(operatorsQuery())
  const { data: { tokens } = { tokens: [] } } = useQuery(tokensQuery())
  return [
    ...operators.map(({ email, name }) => ({ value: email, label: name })),
    ...tokens.map(({ id, name }) => ({ value: `token ${id} (${name})`, label: `Token ${name}` })),
  ]
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

/** The target of an action, as a link where a page shows it. */
function Target({ entry: { action, target, details } }: { entry: AuditEntry }) {
  const { data: platforms = [] } = usePlatforms()
  const { data: { operators } = { operators: [] } } = useQuery(operatorsQuery())
  const link = targetLink({ action, target })
  if (target === null) return '—'
  if (link) {
    return (
      <PageLink {...link} size="sm">
        {typeof details['title'] === 'string' ? details['title'] : target}
      </PageLink>
    )
  }
  if (platforms.some((one) => one.platform_name === target)) return <PlatformLink name={target} />
  const operator = operators.find(({ email }) => email === target)
  if (!operator) return target
  const search = { tab: 'operators', operator: operator.id }
  return (
    <PageLink to="/dashboard/settings" search={search} size="sm">
      {operator.name}
    </PageLink>
  )
}
