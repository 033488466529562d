import { Box, Button, Group, Paper, Text, Title } from '@mantine/core'
import type {
  RejectedPush,
  RepairableGroup,
  RepairedPush,
  RepairPreview,
  RepairStep,
} from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { referenceOf } from '../activity/rejected/advice.ts'
import classes from './inbox.module.css'
import { changesBetween, membersOf, textOf, toRow } from './repair-changes.ts'
import { type Counts, countsLabel, NONE, OUTCOME_LABELS } from './replay-group.ts'

const OUTCOMES = {
  created: 'New',
  updated: 'Update',
  unchanged: 'Unchanged',
  stale: 'Older than stored',
  rejected: 'Rejected',
} as const

export type Run = {
  state: 'running' | 'finished' | 'failed'
  counts: Counts
  remaining: number
  differences: RepairStep['differences']
  error: unknown
}

/** A card with a head. */
export function Block(props: {
  title: string
  note: string
  end?: ReactNode
  children: ReactNode
}) {
  const { title, note, end, children } = props
  return (
    <Paper withBorder mt="md" component="section" aria-label={title} className={classes['block']}>
      <header>
        <Title order={3} fz="md">
          {title}
        </Title>
        <Text size="sm" c="dimmed" truncate>
          {note}
        </Text>
        {end}
      </header>
      {children}
    </Paper>
  )
}

/** The three counts, and what they do not say. */
export function Figures(props: { preview: RepairPreview | undefined; isTested: boolean }) {
  const { preview, isTested } = props
  const { created, updated, unchanged, stale, rejected } = preview?.counts ?? NONE
  const { repeated = 0, unchanged_bodies = 0, tested = 0, total = 0 } = preview ?? {}
  const untouched = unchanged_bodies > 0 && unchanged_bodies < tested
  const notes = [
    unchanged > 0 &&
      `${formatCount(unchanged, 'record already has', 'records already have')} these values.`,
    stale > 0 &&
      `${formatCount(stale, 'is', 'are')} older than what is stored, which stays as it is.`,
    repeated > 0 &&
      `${formatCount(repeated, 'writes', 'write')} a record that another one writes as well.`,
    untouched && `The change does not apply to ${formatNumber(unchanged_bodies)}.`,
    tested < total &&
      `Only ${formatNumber(tested)} of ${formatNumber(total)} could be tested in 5 s.`,
  ].filter((note) => note !== false)
  const figures = [
    ['new', created],
    ['update', updated],
    ['rejected', rejected],
  ] as const
  return (
    <div className={classes['result']} aria-busy={!isTested} role="status">
      {figures.map(([label, number]) => (
        <div key={label}>
          <b>{preview ? formatNumber(number) : '–'}</b>
          {label}
        </div>
      ))}
      {notes.length > 0 && <div className={classes['note']}>{notes.join(' ')}</div>}
    </div>
  )
}

type PushRow = Pick<RepairedPush, 'id' | 'at'> & {
  reference: string | null
  item: RepairedPush | null
}
const column = columnsFor<PushRow>()
const HIDDEN = { phone: 'none' } as const
const RESULT = { width: 150, phone: 'end' } as const

/** The first rejections, with the change and the outcome that the preview has found. */
export function Pushes({
  group: { platform_name: platform, cause, rejected_pushes: count },
  pushes,
  preview,
}: {
  group: RepairableGroup
  pushes: RejectedPush[]
  preview: RepairPreview | undefined
}) {
  const search = { tab: 'rejected', platform, cause }
  const { items = [], examples = [] } = preview ?? {}
  const changed = new Map(examples.map((one) => [one.id, one]))
  // In the order in which they are replayed, once they are tested.
  const rows = preview
    ? items.slice(0, pushes.length).map((item) => {
        const { id, at, reference_number: reference } = item
        return { id, at, reference, item }
      })
    : pushes.map(({ id, at, body }) => ({ id, at, reference: referenceOf(body), item: null }))
  const rest = count - pushes.length
  return (
    <>
      <ListTable
        label="Rejections"
        isPlain
        rows={rows}
        idOf={({ id }) => id}
        columns={[
          column.of(
            'Reference',
            ({ id, reference }) => (
              <PageLink to="." search={(before) => ({ ...before, rejected: String(id) })} size="sm">
                {reference ?? '—'}
              </PageLink>
            ),
            { width: 150 },
          ),
          column.text('Name', ({ item }) => item?.full_name ?? null),
          ...(examples.length === 0
            ? []
            : [column.of('Change', ({ id }) => <Changed body={changed.get(id)} />, HIDDEN)]),
          column.time('Last rejected', ({ at }) => at, { exact: true, seconds: true, ...HIDDEN }),
          column.of('Result', ({ item }) => (item ? <Outcome {...item} /> : '—'), RESULT),
        ]}
      />
      {rest > 0 && (
        <Box px="md" py={8} style={{ borderTop: '1px solid var(--line)' }}>
          <PageLink to="/dashboard/inbox" search={search} size="sm">
            {`Show ${formatNumber(rest)} more`}
          </PageLink>
        </Box>
      )}
    </>
  )
}

function Outcome({ outcome, message, changed_values: values = 0 }: RepairedPush) {
  return (
    <span title={outcome === 'rejected' ? message : undefined}>
      {OUTCOMES[outcome]}
      {values > 0 && (
        <Text span inherit c="dimmed">
          {` ${formatCount(values, 'value')}`}
        </Text>
      )}
    </span>
  )
}

/** The first value that the changes replace, and how many others. */
function Changed({ body }: { body: RepairPreview['examples'][number] | undefined }) {
  if (!body) return '—'
  const [first, ...others] = changesBetween(body.before, body.after)
  if (!first) return '—'
  const members = membersOf(body.before)
  const before = members.find(({ pointer }) => pointer === first.path)?.value
  const after = 'value' in first ? textOf(first.value) : 'to' in first ? first.to : undefined
  return (
    <code className={classes['replaced']}>
      {'to' in first ? toRow(first).path : before !== undefined && <del>{textOf(before)}</del>}
      {after !== undefined && <ins>{after}</ins>}
      {others.length > 0 && ` +${formatNumber(others.length)}`}
    </code>
  )
}

/** The exact counts of a replay, also of one that was interrupted, and how they differ from the preview. */
export function Result(props: { run: Run; onBack: (() => void) | null }) {
  const {
    run: { state, counts, remaining, differences, error },
    onBack,
  } = props
  const isRunning = state === 'running'
  const left = remaining > 0 ? `, ${formatNumber(remaining)} left` : ''
  return (
    <Block
      title={isRunning ? 'Replaying' : state === 'failed' ? 'Interrupted' : 'Replayed'}
      note={isRunning ? `in the order received${left}` : ''}
    >
      <Text role="status" px="md" py="sm">
        {`${countsLabel(counts)}${isRunning ? '' : left}.`}
        {differences.length > 0 &&
          ` The hub has changed since the preview: ${differences
            .map(
              ({ outcome, previewed, applied }) =>
                `${OUTCOME_LABELS[outcome]} ${formatNumber(applied)} instead of ${formatNumber(previewed)}`,
            )
            .join(', ')}.`}
      </Text>
      {state === 'failed' && <ErrorNotice error={error} />}
      {!isRunning && onBack && (
        <Group px="md" pb="md">
          <Button variant="default" onClick={onBack}>
            Change and test what is left
          </Button>
        </Group>
      )}
    </Block>
  )
}
