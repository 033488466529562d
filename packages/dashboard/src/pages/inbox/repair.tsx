import {
  ActionIcon,
  Autocomplete,
  Badge,
  Box,
  Button,
  Code,
  Group,
  Paper,
  Select,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { RejectedPush, RepairableGroup, RepairPreview, RepairStep } from '@recordhub/protocol'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { usePlatforms } from '../../api/platforms.ts'
import {
  applyRepair,
  rejectedPushGroupsQuery,
  rejectedPushPageQuery,
  repairPreviewQuery,
  useRefreshRejected,
} from '../../api/rejected-pushes.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { writeLossless } from '../../lib/lossless-json.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { AdviceLine } from '../activity/advice-line.tsx'
import { adviceFor, referenceOf } from '../activity/rejected/advice.ts'
import classes from './inbox.module.css'
import {
  type ChangeRow,
  diffLines,
  isOp,
  membersOf,
  OPS,
  parseRows,
  textOf,
  toChange,
} from './repair-changes.ts'

const SHOWN = 6
const PROPOSED = {
  name: 'proposed: same name',
  plural: 'proposed: singular or plural',
  spelling: 'proposed: nearest name',
} as const
const OUTCOMES = {
  created: 'New',
  updated: 'Update',
  unchanged: 'Unchanged',
  stale: 'Older than stored',
  rejected: 'Rejected',
} as const
type Counts = RepairPreview['counts']
const NONE: Counts = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }

/** The rejections of one cause: changed alike, tested and replayed, accepted or deleted together. */
export function RepairGroup({
  platform,
  cause,
  onReplay,
}: {
  platform: string
  cause: string
  /** Called before a replay, which may end the group. */
  onReplay?: () => void
}) {
  const groups = useQuery(rejectedPushGroupsQuery(`${new URLSearchParams({ platform })}`))
  const filter = { platform, cause, state: 'open', limit: String(SHOWN) }
  const page = useQuery(rejectedPushPageQuery(`${new URLSearchParams(filter)}`))
  const [{ changes }] = useUrlState()
  // What is replayed is no longer in the group, and its result stays.
  const [kept, setKept] = useState<{ group: RepairableGroup; pushes: RejectedPush[] } | null>(null)
  const group = groups.data?.groups.find((one) => one.cause === cause)
  const pushes = page.data?.rejected_pushes ?? []
  if (group && pushes.length > 0 && (kept?.group !== group || kept.pushes !== pushes)) {
    setKept({ group, pushes })
  }
  return (
    <Loaded query={groups} errorTitle="The group could not be read">
      {() => (
        <Loaded query={page} errorTitle="The rejections could not be read">
          {() =>
            kept && (
              <Panel
                key={changes ?? ''}
                {...kept}
                isOver={group === undefined}
                {...(onReplay ? { onReplay } : {})}
                initial={parseRows(changes) ?? proposedRows(kept.group)}
              />
            )
          }
        </Loaded>
      )}
    </Loaded>
  )
}

function proposedRows({ proposal }: RepairableGroup): ChangeRow[] {
  return proposal ? [{ op: 'set', path: 'record_type', text: proposal.record_type }] : []
}

type Run = { counts: Counts; remaining: number; differences: RepairStep['differences'] } & {
  state: 'running' | 'finished' | 'failed'
  error: unknown
}

function Panel({
  group,
  pushes,
  isOver,
  initial,
  onReplay,
}: {
  group: RepairableGroup
  pushes: RejectedPush[]
  /** Nothing is left in the group. */
  isOver: boolean
  initial: ChangeRow[]
  onReplay?: () => void
}) {
  const { platform_name: platform, cause, rejected_pushes: count, proposal } = group
  const canOperate = useHasRole('operator')
  const [rows, setRows] = useState(initial)
  const [run, setRun] = useState<Run | null>(null)
  const refresh = useRefreshRejected()
  const [first] = pushes
  const members = membersOf(first?.body)
  const known = members.map(({ pointer }) => pointer)
  const repair = {
    ...{ platform, cause },
    changes: rows.flatMap((row) => toChange(row, known) ?? []),
  }
  const written = writeLossless(repair)
  const [tested] = useDebouncedValue({ repair, written }, 300)
  const preview = useQuery({
    ...repairPreviewQuery(tested.repair, count),
    enabled: canOperate && run === null && !isOver,
  })
  const isTested = tested.written === written && !preview.isFetching && !preview.isPlaceholderData

  async function replay({ tested: total, until }: RepairPreview) {
    onReplay?.()
    let now: Run = {
      ...{ counts: NONE, remaining: total, differences: [], state: 'running', error: null },
    }
    setRun(now)
    try {
      let cursor: string | null = null
      do {
        const step: RepairStep = await applyRepair(repair, { until, cursor })
        const { totals: counts, remaining, differences } = step
        cursor = step.next_cursor
        now = { ...now, counts, remaining, differences }
        setRun(now)
      } while (cursor !== null)
      setRun({ ...now, state: 'finished' })
      notify(`Replayed: ${countsLabel(now.counts)}`)
    } catch (error) {
      setRun({ ...now, state: 'failed', error })
    }
    await refresh()
  }

  const change = (index: number, changed: Partial<ChangeRow> | null) =>
    setRows(rows.flatMap((row, at) => (at !== index ? row : changed ? { ...row, ...changed } : [])))
  const isProposed = (row: ChangeRow) =>
    row.op === 'set' && row.path === 'record_type' && row.text === proposal?.record_type
  if (run !== null) return <Result run={run} onBack={isOver ? null : () => setRun(null)} />
  if (isOver) return null
  return (
    <>
      {first && (
        <Box mt="md">
          <AdviceLine text={adviceFor(first)} />
        </Box>
      )}
      {canOperate && (
        <Block
          title="Change"
          note={count === 1 ? 'one rejection' : `the same in all ${formatNumber(count)}`}
          end={
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setRows([...rows, { op: 'set', path: '', text: '' }])}
            >
              Add a change
            </Button>
          }
        >
          {rows.map((row, index) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity.
              key={index}
              row={row}
              number={index + 1}
              platform={platform}
              members={members}
              hint={proposal && isProposed(row) ? PROPOSED[proposal.reason] : null}
              onChange={(changed) => change(index, changed)}
              onRemove={() => change(index, null)}
            />
          ))}
          {rows.length === 0 && (
            <Text size="sm" c="dimmed" px="md" py="sm">
              None: they are replayed as they were received.
            </Text>
          )}
        </Block>
      )}
      <Block
        title={canOperate ? 'Preview' : 'Rejections'}
        note={
          canOperate ? (isTested ? 'tested just now, nothing is stored yet' : 'being tested…') : ''
        }
      >
        {canOperate && preview.error && !preview.isFetching && (
          <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
        )}
        {canOperate && <Figures preview={preview.data} isTested={isTested} />}
        <Pushes group={group} pushes={pushes} items={preview.data?.items ?? []} />
        <Actions
          group={group}
          preview={isTested && preview.data ? preview.data : null}
          onReplay={replay}
        />
      </Block>
      {preview.data?.example && (
        <Block
          title={count === 1 ? 'The body' : `One of the ${formatNumber(count)}`}
          note={referenceOf(preview.data.example.after)}
        >
          <pre className={classes['diff']}>
            {diffLines(preview.data.example.before, preview.data.example.after).map(
              ({ sign, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
                <span key={index} data-sign={sign}>{`${sign} ${text}\n`}</span>
              ),
            )}
          </pre>
        </Block>
      )}
    </>
  )
}

function Block({
  title,
  note,
  end,
  children,
}: {
  title: string
  note: string
  end?: ReactNode
  children: ReactNode
}) {
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

/** One change: what, which member, and the value or new name. */
function Row({
  row: { op, path, text },
  number,
  platform,
  members,
  hint,
  onChange,
  onRemove,
}: {
  row: ChangeRow
  number: number
  platform: string
  members: ReturnType<typeof membersOf>
  hint: string | null
  onChange: (changed: Partial<ChangeRow>) => void
  onRemove: () => void
}) {
  const { data: platforms = [] } = usePlatforms()
  const modules = platforms.find((one) => one.platform_name === platform)?.modules ?? []
  const registered = modules.filter((one) => one.registered)
  const isModule = op === 'set' && path === 'record_type'
  const was = members.find(({ label }) => label === path)?.value
  const hasText = op === 'set' || op === 'default' || op === 'rename'
  const props = { size: 'xs', value: text, 'aria-label': `Change ${number}: to` } as const
  return (
    <div className={classes['change']}>
      <Select
        size="xs"
        w={128}
        aria-label={`Change ${number}: what`}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={Object.entries(OPS).map(([value, label]) => ({ value, label }))}
        value={op}
        onChange={(value) => isOp(value) && onChange({ op: value })}
      />
      <Autocomplete
        size="xs"
        w={140}
        aria-label={`Change ${number}: member`}
        placeholder="data.status"
        comboboxProps={{ withinPortal: false }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data={[...new Set(members.map(({ label }) => label))]}
        value={path}
        onChange={(value) => onChange({ path: value })}
      />
      {op === 'set' && was !== undefined && (
        <>
          <Text span size="sm" c="dimmed">
            from
          </Text>
          <Code className={classes['was'] ?? ''}>{textOf(was)}</Code>
        </>
      )}
      {hasText && (
        <Text span size="sm" c="dimmed">
          to
        </Text>
      )}
      {hasText &&
        (isModule ? (
          <Select
            {...props}
            w={180}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            placeholder="Module"
            data={registered.map(({ record_type, module_name }) => ({
              value: record_type,
              label: `${module_name} (${record_type})`,
            }))}
            onChange={(value) => onChange({ text: value ?? '' })}
          />
        ) : (
          <TextInput
            {...props}
            w={200}
            placeholder={op === 'rename' ? 'New name' : 'Text, or JSON such as 12'}
            onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
          />
        ))}
      {hint !== null && (
        <Badge color="gray" variant="light">
          {hint}
        </Badge>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        ml="auto"
        aria-label={`Remove change ${number}`}
        onClick={onRemove}
      >
        <IconX size={14} aria-hidden />
      </ActionIcon>
    </div>
  )
}

/** The three counts, and what they do not say. */
function Figures({ preview, isTested }: { preview: RepairPreview | undefined; isTested: boolean }) {
  const { created, updated, unchanged, stale, rejected } = preview?.counts ?? NONE
  const { repeated = 0, unchanged_bodies = 0, tested = 0, total = 0 } = preview ?? {}
  const untouched = unchanged_bodies > 0 && unchanged_bodies < tested
  const notes = [
    unchanged > 0 && `${formatCount(unchanged, 'record')} already have these values.`,
    stale > 0 && `${formatNumber(stale)} are older than what is stored, which stays as it is.`,
    repeated > 0 && `${formatNumber(repeated)} write a record that another one writes as well.`,
    untouched && `The change does not apply to ${formatNumber(unchanged_bodies)}.`,
    tested < total && `${formatNumber(tested)} of ${formatNumber(total)} were tested in 5 s.`,
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

/** The first rejections, with the outcome that the preview has found. */
function Pushes({
  group: { platform_name: platform, cause, rejected_pushes: count },
  pushes,
  items,
}: {
  group: RepairableGroup
  pushes: RejectedPush[]
  items: RepairPreview['items']
}) {
  const search = { tab: 'rejected', platform, cause }
  const tested = new Map(items.map((item) => [item.id, item]))
  const rest = count - pushes.length
  return (
    <>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Reference</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th visibleFrom="sm">Last rejected</Table.Th>
            <Table.Th>Result</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pushes.map(({ id, body, at }) => {
            const item = tested.get(id)
            return (
              <Table.Tr key={id}>
                <Table.Td>
                  <PageLink
                    to="."
                    search={(before) => ({ ...before, rejected: String(id) })}
                    size="sm"
                  >
                    {item?.reference_number ?? referenceOf(body)}
                  </PageLink>
                </Table.Td>
                <Table.Td>{item?.full_name ?? '—'}</Table.Td>
                <Table.Td visibleFrom="sm">
                  <Time at={at} seconds />
                </Table.Td>
                <Table.Td {...(item?.outcome === 'rejected' ? { title: item.message } : {})}>
                  {item ? OUTCOMES[item.outcome] : '—'}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
      {rest > 0 && (
        <div className={classes['foot']}>
          <PageLink to="/dashboard/inbox" search={search} size="sm">
            {`Show ${formatNumber(rest)} more`}
          </PageLink>
        </div>
      )}
    </>
  )
}

function Actions({
  group: { platform_name: platform, cause, rejected_pushes: count, digest, accepted_at },
  preview,
  onReplay,
}: {
  group: RepairableGroup
  /** Null until what is shown has been tested. */
  preview: RepairPreview | null
  onReplay: (preview: RepairPreview) => Promise<void>
}) {
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed" px="md" py="sm">
        Replaying and deleting require the operator role.
      </Text>
    )
  }
  const isUseless = preview !== null && preview.counts.rejected === preview.tested
  const accept = async () => {
    const body = { platform, cause, digest }
    await callHub('/api/v1/rejected-pushes/groups/accept', { method: 'POST', body })
    await refresh()
  }
  const remove = async () => {
    const path = `/api/v1/rejected-pushes?${new URLSearchParams({ platform, cause })}`
    const { dismissed } = await callHub<{ dismissed: number }>(path, { method: 'DELETE' })
    notify(`${formatCount(dismissed, 'rejection')} deleted`)
    await refresh()
  }
  return (
    <div className={classes['actions']}>
      <Button
        disabled={preview === null || isUseless}
        onClick={() => preview && void onReplay(preview)}
      >
        {isUseless ? 'All are rejected again' : `Replay ${formatNumber(preview?.tested ?? count)}`}
      </Button>
      {digest !== null && accepted_at === null && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() =>
            confirm({
              title: 'Accept these records as exceptions?',
              children:
                'They are known at the source and stay rejected, but pulls are green again, and the module is complete with accepted exceptions. The group opens again when a pull rejects more, fewer or other records for this reason.',
              action: 'Accept as exceptions',
              color: 'blue',
              onConfirm: accept,
            })
          }
        >
          {`Accept ${formatNumber(count)}`}
        </Button>
      )}
      <Button
        variant="subtle"
        color="red"
        ml="auto"
        onClick={() =>
          confirm({
            title: `Delete ${formatCount(count, 'rejection')}?`,
            children: 'Their bodies are deleted. They can no longer be replayed.',
            action: 'Delete',
            onConfirm: remove,
          })
        }
      >
        {`Delete ${formatNumber(count)}…`}
      </Button>
    </div>
  )
}

/** The exact counts of a replay, also of one that was interrupted, and how they differ from the preview. */
function Result({
  run: { state, counts, remaining, differences, error },
  onBack,
}: {
  run: Run
  onBack: (() => void) | null
}) {
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
                `${LABELS[outcome]} ${formatNumber(applied)} instead of ${formatNumber(previewed)}`,
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

const LABELS = {
  created: 'new',
  updated: 'updated',
  unchanged: 'unchanged',
  stale: 'older than stored',
  rejected: 'rejected again',
} as const

/** `11 new, 1 updated, 0 rejected again` */
function countsLabel(counts: Counts): string {
  const parts = [
    ...(['created', 'updated', 'unchanged', 'stale'] as const).filter((name) => counts[name] > 0),
    'rejected' as const,
  ]
  return parts.map((name) => `${formatNumber(counts[name])} ${LABELS[name]}`).join(', ')
}
