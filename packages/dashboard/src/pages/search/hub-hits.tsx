import { Anchor, Paper, Skeleton, Text } from '@mantine/core'
import type { SearchedRecord } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useModules, useTitles } from '../../api/platforms.ts'
import { hubSearchQuery } from '../../api/records.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount, formatLatency } from '../../lib/format.ts'
import { pickState, useUrlState } from '../../lib/url-state.ts'
import { columnOfPath } from '../records/columns.ts'
import { totalLabel } from '../records/list-footer.tsx'
import { Marked } from './marked.tsx'
import classes from './search.module.css'
import { type HubLine, matchOf } from './search-lanes.ts'

/** More are shown on request, so that the platforms stay visible on a phone. */
const FIRST = 8

/** The records of the hub in one ranking, with the text that matched. */
export function HubHits(props: { query: string; line: HubLine | null; isFinished: boolean }) {
  const { query } = props
  const [state] = useUrlState()
  const [isAll, setAll] = useState(false)
  const scope = pickState(state, ['record_type', 'platform'])
  const isNarrowed = Object.keys(scope).length > 0
  const narrowed = useQuery({ ...hubSearchQuery(query, scope), enabled: isNarrowed })
  const line = isNarrowed ? (narrowed.data ?? null) : props.line
  const isFinished = isNarrowed ? !narrowed.isPending : props.isFinished
  const all = line?.records ?? []
  const shown = isAll ? all : all.slice(0, FIRST)
  const search = { q: query, ...scope }
  return (
    <Section
      title="In the hub"
      end={
        <>
          <Text c="dimmed">{stateOf(line, isFinished)}</Text>
          <PageLink to="/dashboard/records" search={search} ml="auto" fz="sm">
            Open as table
          </PageLink>
        </>
      }
    >
      <Paper withBorder>
        {line === null && !isFinished && (
          <div aria-busy="true" className={classes['hit']}>
            <Skeleton height={12} width="40%" />
            <Skeleton height={12} width={60} />
          </div>
        )}
        {isNarrowed && narrowed.error && <ErrorNotice error={narrowed.error} />}
        {line?.error && <ErrorNotice error={new Error(line.error.message)} />}
        {line && !line.error && all.length === 0 && (
          <EmptyState title={line.complete ? 'No results' : 'No results so far'}>
            The hub finds the beginnings of words in all values, and any part of names and
            references.
          </EmptyState>
        )}
        <ul className={classes['hits']}>
          {shown.map((record) => (
            <Hit key={record.record_id} record={record} query={query} />
          ))}
        </ul>
        {line && all.length > shown.length && (
          <p className={classes['foot']}>
            <Anchor component="button" fz="inherit" onClick={() => setAll(true)}>
              Show {all.length - shown.length} more
            </Anchor>
          </p>
        )}
        {line && isAll && line.estimated_total > line.records.length && (
          <p className={classes['foot']}>
            <PageLink to="/dashboard/records" search={search} fz="inherit">
              All {totalLabel(line)} as a table
            </PageLink>
          </p>
        )}
        {line !== null && line.search_lag !== null && line.search_lag > 0 && (
          <p className={classes['foot']}>
            {formatCount(line.search_lag, 'updated record is', 'updated records are')} not
            searchable yet.
          </p>
        )}
      </Paper>
    </Section>
  )
}

function stateOf(line: HubLine | null, isFinished: boolean): string {
  if (line === null) return isFinished ? 'no response' : 'searching…'
  if (line.error) return 'failed'
  const took = formatLatency(line.took_ms)
  return line.records.length === 0 ? took : `${totalLabel(line)}, best first, ${took}`
}

function Hit({ record, query }: { record: SearchedRecord; query: string }) {
  const titles = useTitles()
  const { record_id, full_name, reference_number, module_name, platform_name } = record
  const within = record.matches.find(({ column }) => column.startsWith('data.'))
  return (
    <li className={classes['hit']}>
      <Link
        className={classes['what']}
        to="/dashboard/records"
        search={{ q: query, record: String(record_id) }}
      >
        <Marked {...matchOf(record, 'hub_full_name', full_name || reference_number)} />
      </Link>
      <span className={classes['reference']}>
        <Marked {...matchOf(record, 'hub_reference_number', reference_number)} />
      </span>
      <span className={classes['where']}>
        {within ? (
          <>
            <FieldLabel record={record} column={within.column} />: <Marked {...within} />
          </>
        ) : (
          module_name
        )}
      </span>
      <span className={classes['reference']}>{titles.ofPlatform(platform_name)}</span>
    </li>
  )
}

/** The label of the manifest, or the names of the path. */
function FieldLabel({ record, column }: { record: SearchedRecord; column: string }) {
  const module = useModules(record.platform_name).find(
    ({ record_type }) => record_type === record.record_type,
  )
  const field = module?.fields.find(({ key }) => `data.${key}` === column)
  return field?.label || columnOfPath(column)?.label || column
}
