import { Anchor, Button, Group, Skeleton, Text, Title } from '@mantine/core'
import type { Change, Field, HistoryEntry, StoredRecord } from '@recordhub/protocol'
import { IconArrowBackUp, IconArrowDownLeft, IconDownload, IconRefresh } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTitles } from '../../../api/platforms.ts'
import { type RecordVersion, recordHistoryQuery } from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PullLink } from '../../../components/page-link.tsx'
import { Ago } from '../../../components/time.tsx'
import { formatCount, formatKey } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { RevertLink } from '../../reverts/holds.tsx'
import { RevertButton } from '../../reverts/revert-button.tsx'
import { summaryOf } from '../cell.tsx'
import { changedValues } from './changed-values.ts'
import classes from './record.module.css'
import { labelOfPath } from './record-fields.ts'

/** How a value was written: an arrow for a push, a tray for a pull. */
export function SourceIcon({ source, size = 14 }: { source: string | null; size?: number }) {
  const Icon = ICONS[source ?? ''] ?? IconArrowDownLeft
  return <Icon size={size} stroke={1.6} aria-hidden />
}

const ICONS: Readonly<Record<string, typeof IconDownload>> = {
  pull: IconDownload,
  replay: IconRefresh,
  revert: IconArrowBackUp,
}

/** The platform that pushed a change, or the pull that read it. */
export function Author(props: { entry: HistoryEntry; platform: string | undefined }) {
  const {
    entry: { source, pull_id, revert_id },
    platform,
  } = props
  if (revert_id !== null) return <RevertLink id={revert_id} />
  if (pull_id === null) {
    return <b>{source === 'replay' ? 'a replay' : (platform ?? 'a removed platform')}</b>
  }
  return (
    <PullLink id={pull_id} fz="inherit" underline="always">
      pull {pull_id}
    </PullLink>
  )
}

/** The last changes of a record up to one of its versions, newest first; more can be loaded. */
export function useHistory({ record: { record_id }, change_seq }: RecordVersion) {
  const query = useInfiniteQuery(recordHistoryQuery(String(record_id), change_seq))
  return { query, entries: query.data?.pages.flatMap(({ history }) => history) ?? [] }
}

/** The changes of a record up to the shown version, newest first, with the values before and after. */
export function HistoryList(props: {
  version: RecordVersion
  manifest: readonly Field[]
  /** Maximum number of entries; a link leads to all. */
  max?: number
}) {
  const { version, manifest, max } = props
  const { record, change_seq } = version
  const { query, entries } = useHistory(version)
  const [, change] = useUrlState()
  const titles = useTitles()
  const error = errorInPlaceOfData(query)
  if (error) return <ErrorNotice error={error} onRetry={() => void query.refetch()} />
  const shown = entries.slice(0, max)
  const isWhole = shown.length === entries.length && !query.hasNextPage
  return (
    <section className={classes['history']} aria-label="History">
      {max !== undefined && (
        <Group component="header" justify="space-between" mb={4}>
          <Title order={3} fz="xs" fw={500} lh="inherit" c="var(--text-3)">
            History
          </Title>
          {!isWhole && (
            <Anchor
              component="button"
              fz="xs"
              onClick={() => change({ tab: 'history' }, { replace: true })}
            >
              All {entries.length}
              {query.hasNextPage && '+'}
            </Anchor>
          )}
        </Group>
      )}
      {query.isPending && <Skeleton height={60} aria-label="Loading" />}
      {shown.map((entry) => (
        <article key={entry.change_seq} className={classes['entry']}>
          <SourceIcon source={entry.source} />
          <span title={entry.request_id === null ? undefined : `Request ${entry.request_id}`}>
            <Author entry={entry} platform={titles.ofPlatform(record.platform_name)} />{' '}
            <span className={classes['secondary']}>
              {verbOf(entry)}, {formatCount(entry.changes.length, 'value')}
            </span>
          </span>
          <Text span fz="xs" c="var(--text-3)">
            <Ago at={entry.at} />
          </Text>
          <div className={classes['changes']}>
            {entry.changes.map((one) => (
              <ChangeLines key={one.path} change={one} manifest={manifest} />
            ))}
            <Anchor
              component="button"
              fz="xs"
              onClick={() => change({ change: String(entry.change_seq), as_of: null, tab: null })}
            >
              View this version
            </Anchor>{' '}
            {entry.change_seq !== change_seq && (
              <ReturnButton record={record} version={entry.change_seq} />
            )}
          </div>
        </article>
      ))}
      {max === undefined && query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older changes
        </Button>
      )}
      {isWhole && !query.isPending && (
        <article className={classes['entry']}>
          <span />
          <span className={classes['secondary']}>
            {entries.length === 0 ? 'No changes since the record was received' : 'Received'}
          </span>
          <Text span fz="xs" c="var(--text-3)">
            <Ago at={record.created_at} />
          </Text>
          {entries.length > 0 && (
            <div className={classes['changes']}>
              <ReturnButton record={record} version={0} />
            </div>
          )}
        </article>
      )}
    </section>
  )
}

function ReturnButton(props: {
  record: Pick<StoredRecord, 'record_id' | 'reference_number'>
  /** 0: as the record was received. */
  version: number
}) {
  const { record, version } = props
  return (
    <RevertButton
      scope={{ record_id: record.record_id, version }}
      title={`Return ${record.reference_number} to this version?`}
      label="Return to this version…"
      variant="transparent"
      size="compact-xs"
      px={0}
      fw={400}
      leftSection={null}
    />
  )
}

function verbOf({ source }: HistoryEntry): string {
  if (source === 'POST' || source === 'PATCH') return `pushed (${source})`
  if (source === 'revert') return 'took back'
  return source === 'pull' ? 'pulled' : 'replayed'
}

/** `Makers 2 › Role` */
function nameOf(label: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (name, step) =>
      typeof step === 'number' ? `${name} ${step + 1}` : `${name} › ${formatKey(step)}`,
    label,
  )
}

/** One line for each value that differs, also within nested data. */
export function ChangeLines(props: {
  change: Change
  manifest: readonly Field[]
  /** The maximum number of lines. */
  max?: number
}) {
  const { change, manifest, max } = props
  const { label } = labelOfPath(change.path, manifest)
  const values = changedValues(change).slice(0, max)
  return values.map(({ path, before, after }) => (
    <div key={path.join('\n')}>
      <span className={classes['dimmed']}>{nameOf(label, path)}</span>{' '}
      {before !== undefined && <del>{summaryOf(before, label) ?? 'empty'}</del>}{' '}
      <ins>{after === undefined ? 'removed' : (summaryOf(after, label) ?? 'empty')}</ins>
    </div>
  ))
}
