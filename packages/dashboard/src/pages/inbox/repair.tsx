import { Box, Button, Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type {
  RejectedPush,
  RepairableGroup,
  RepairedPush,
  RepairPreview,
  Replay,
} from '@recordhub/protocol'
import { IconChevronDown, IconChevronUp, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import {
  rejectedPushGroupsQuery,
  rejectedPushPageQuery,
  repairPreviewQuery,
  useRefreshRejected,
} from '../../api/rejected-pushes.ts'
import { confirm, notify, useAttempt } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AcceptButton } from '../../components/group-actions.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { writeLossless } from '../../lib/lossless-json.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { AdviceLine } from '../activity/list-parts.tsx'
import { adviceFor, referenceOf } from '../activity/rejected/advice.ts'
import { DidYouMean } from '../overview/replay-proposed.tsx'
import { Row } from './change-row.tsx'
import classes from './inbox.module.css'
import { type ChangeRow, diffLines, membersOf, parseRows, toChange } from './repair-changes.ts'
import { Block, Figures, Pushes, Result, type Run } from './repair-result.tsx'
import { countsLabel, NONE, OUTCOME_LABELS, replayGroup, useShowRecords } from './replay-group.ts'

const SHOWN = 6
const PROPOSED = {
  name: 'proposed: same name',
  plural: 'proposed: singular or plural',
  spelling: 'proposed: nearest name',
} as const
/** The rejections of one cause: changed alike, tested and replayed, accepted or deleted together. */
export function RepairGroup(props: {
  platform: string
  cause: string
  /** Called before a replay, which may end the group. */
  onReplay?: () => void
}) {
  const { platform, cause, onReplay } = props
  const groups = useQuery(rejectedPushGroupsQuery({ platform }))
  const filter = { platform, cause, state: 'open', limit: String(SHOWN) }
  const page = useQuery(rejectedPushPageQuery(filter))
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

/** The module of the records that a repair writes; null if it is unknown. */
function moduleOf({ record_type }: RepairableGroup, rows: readonly ChangeRow[]): string | null {
  return (
    rows.findLast(({ op, path }) => op === 'set' && path === 'record_type')?.text ?? record_type
  )
}

function Panel(props: {
  group: RepairableGroup
  pushes: RejectedPush[]
  /** Nothing is left in the group. */
  isOver: boolean
  initial: ChangeRow[]
  onReplay?: () => void
}) {
  const { group, pushes, isOver, initial, onReplay } = props
  const { platform_name: platform, cause, rejected_pushes: count, proposal } = group
  const canOperate = useHasRole('operator')
  const [rows, setRows] = useState(initial)
  const [run, setRun] = useState<Run | null>(null)
  const refresh = useRefreshRejected()
  const { showModule } = useShowRecords()
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

  async function replay(previewed: RepairPreview) {
    onReplay?.()
    const start = { counts: NONE, remaining: previewed.tested, differences: [] }
    let now: Run = { ...start, state: 'running', error: null }
    setRun(now)
    try {
      await replayGroup(repair, previewed, ({ totals: counts, remaining, differences }) => {
        now = { ...now, counts, remaining, differences }
        setRun(now)
      })
      setRun({ ...now, state: 'finished' })
      const show = showModule(platform, moduleOf(group, rows), now.counts)
      notify(`Replayed: ${countsLabel(now.counts)}`, show)
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
          {proposal && (
            <Text size="sm" px="md" pt="sm">
              {formatCount(count, 'push names', 'pushes name')} the module{' '}
              <code>{group.record_type}</code>. <DidYouMean {...proposal} />
            </Text>
          )}
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
        <Pushes group={group} pushes={pushes} preview={preview.data} />
        <Actions
          group={group}
          preview={isTested && preview.data ? preview.data : null}
          onReplay={replay}
        />
      </Block>
      {preview.data && <Examples count={count} examples={preview.data.examples} />}
    </>
  )
}

/** The bodies before and after the changes, one at a time. */
function Examples({ count, examples }: { count: number } & Pick<RepairPreview, 'examples'>) {
  const [at, setAt] = useState(0)
  const shown = examples[at] ?? examples[0]
  if (!shown) return null
  const move = (by: number) => setAt(Math.max(0, Math.min(at + by, examples.length - 1)))
  return (
    <Block
      title={count === 1 ? 'The body' : `One of the ${formatNumber(count)}`}
      note={referenceOf(shown.after)}
      end={
        examples.length > 1 && (
          <Group gap={2} wrap="nowrap" ml="auto">
            <IconButton label="Previous body" disabled={at === 0} onClick={() => move(-1)}>
              <IconChevronUp size={16} aria-hidden />
            </IconButton>
            <IconButton
              label="Next body"
              disabled={at >= examples.length - 1}
              onClick={() => move(1)}
            >
              <IconChevronDown size={16} aria-hidden />
            </IconButton>
          </Group>
        )
      }
    >
      <pre className={classes['diff']}>
        {diffLines(shown.before, shown.after).map(({ sign, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity.
          <span key={index} data-sign={sign}>{`${sign} ${text}\n`}</span>
        ))}
      </pre>
    </Block>
  )
}

function Actions(props: {
  group: RepairableGroup
  /** Null until what is shown has been tested. */
  preview: RepairPreview | null
  onReplay: (preview: RepairPreview) => Promise<void>
}) {
  const { group, preview, onReplay } = props
  const { platform_name: platform, cause, rejected_pushes: count } = group
  const canOperate = useHasRole('operator')
  const refresh = useRefreshRejected()
  const { isBusy, run } = useAttempt()
  const { showRecord } = useShowRecords()
  if (!canOperate) {
    return (
      <Text size="xs" c="dimmed" px="md" py="sm">
        Replaying and deleting require the operator role.
      </Text>
    )
  }
  const first = preview?.items[0]
  const replayFirst = async ({ id }: RepairedPush) => {
    try {
      const changed = preview?.examples.find((one) => one.id === id)
      const json = writeLossless({ ...(changed ? { body: changed.after } : {}) }, '')
      const path = `/api/v1/rejected-pushes/${id}/replay`
      const { replay } = await callHub<{ replay: Replay }>(path, { method: 'POST', json })
      const name = first?.reference_number ?? 'The first one'
      if (replay.outcome === 'rejected') throw new Error(`${name}: ${replay.message}`)
      notify(`${name} was replayed: ${OUTCOME_LABELS[replay.outcome]}`, showRecord(replay))
    } finally {
      await refresh()
    }
  }
  const isUseless = preview !== null && preview.counts.rejected === preview.tested
  const changesNothing = preview !== null && preview.counts.created + preview.counts.updated === 0
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
        variant={changesNothing ? 'default' : 'filled'}
        onClick={() => preview && void onReplay(preview)}
      >
        {isUseless ? 'All are rejected again' : `Replay ${formatNumber(preview?.tested ?? count)}`}
      </Button>
      {count > 1 && first && first.outcome !== 'rejected' && (
        <Button
          variant="subtle"
          color="gray"
          loading={isBusy}
          onClick={() => void run(() => replayFirst(first))}
        >
          Replay the first one only
        </Button>
      )}
      <AcceptButton group={group} variant="subtle" color="gray" size="sm" />
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
