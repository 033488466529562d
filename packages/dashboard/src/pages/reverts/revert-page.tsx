import { Alert, Box, Button, Group, Paper, Progress, Skeleton, Stack, Text } from '@mantine/core'
import type { Revert } from '@recordhub/protocol'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { HubCallError } from '../../api/call-hub.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { changeReverts, revertQuery } from '../../api/reverts.ts'
import { confirm, useAttempt } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { Notice } from '../../components/notice.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { BackLink, PageHeader } from '../../components/page-header.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import classes from '../pulls/pulls.module.css'
import { RevertLink } from './holds.tsx'
import { RevertButton } from './revert-button.tsx'
import { OUTCOMES, revertTitle, scopeLabel, stateLabel } from './revert-labels.ts'
import { RevertRecords } from './revert-records.tsx'
import { useScopeTitles } from './use-scope-titles.ts'

/** One revert: its plan with *Start*, its progress, then its result and the holds. */
export function RevertPage() {
  const { id } = useParams({ from: '/dashboard/reverts/$id' })
  const isNumber = /^[1-9]\d{0,14}$/.test(id)
  const found = useQuery({ ...revertQuery(id), enabled: isNumber })
  const titles = useScopeTitles()
  const error = errorInPlaceOfData(found)
  if (!isNumber) return <NotFound />
  if (error instanceof HubCallError && error.status === 404) return <NotFound />
  if (error) return <ErrorNotice error={error} onRetry={() => void found.refetch()} />
  if (!found.data) return <Skeleton height={320} aria-label="Loading" />
  const { revert } = found.data
  const what = scopeLabel(revert.scope, titles)
  return (
    <Box maw={960} mx="auto">
      <BackLink to="/dashboard/reverts">Reverts</BackLink>
      <PageHeader
        isOfOne
        title={revertTitle(revert, what)}
        description={
          <>
            <ScopeText revert={revert} what={what} />, planned by{' '}
            <OperatorName by={revert.operator} /> <Time at={revert.planned_at} />
          </>
        }
      >
        <Actions revert={revert} what={what} />
      </PageHeader>
      <Stack gap="md">
        {revert.error !== null && (
          <Alert color="red" role="alert" title="The revert did not finish">
            {revert.error}
          </Alert>
        )}
        <HistoryNotice revert={revert} />
        {revert.finished_at !== null && <HeldNotice revert={revert} />}
        <Paper withBorder component="section" aria-label={isPlan(revert) ? 'Plan' : 'Result'}>
          <Counts revert={revert} />
        </Paper>
        <RevertRecords revert={revert} />
      </Stack>
    </Box>
  )
}

const isPlan = ({ started_at }: Revert) => started_at === null
const ACTIVE: readonly Revert['state'][] = ['queued', 'running', 'interrupted']
const isActive = ({ state }: Revert) => ACTIVE.includes(state)

/** What is reverted, as a link where a page shows it. */
function ScopeText({ revert: { scope }, what }: { revert: Revert; what: string }) {
  const text = what.charAt(0).toUpperCase() + what.slice(1)
  const props = { inherit: true, c: 'inherit', underline: 'always', children: text } as const
  if ('pull_id' in scope) {
    const params = { id: String(scope.pull_id) }
    return <PageLink {...props} to="/dashboard/pulls/$id" params={params} />
  }
  if ('record_id' in scope) {
    const search = { record: String(scope.record_id) }
    return <PageLink {...props} to="/dashboard/records" search={search} />
  }
  if ('revert_id' in scope) {
    const params = { id: String(scope.revert_id) }
    return <PageLink {...props} to="/dashboard/reverts/$id" params={params} />
  }
  return text
}

function Actions({ revert, what }: { revert: Revert; what: string }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const [isStarting, setStarting] = useState(false)
  const { isBusy, run } = useAttempt()
  if (!canOperate) return null
  const { id, state, counts, scope } = revert
  const path = `/api/v1/reverts/${id}`
  if (isActive(revert)) {
    return (
      <Button
        size="sm"
        variant="default"
        disabled={isBusy}
        onClick={() => void run(() => changeReverts(client, `${path}/cancel`, { method: 'POST' }))}
      >
        {isBusy ? 'Cancelling…' : TEXTS.cancel}
      </Button>
    )
  }
  return (
    <>
      {state === 'planned' && (
        <Button disabled={counts.reverted === 0} onClick={() => setStarting(true)}>
          Revert {formatCount(counts.reverted, 'record')}…
        </Button>
      )}
      {(state === 'failed' || state === 'cancelled') && (
        <RevertButton
          scope={scope}
          size="sm"
          title={isPlan(revert) ? `Revert ${what}?` : `Revert the rest of ${what}?`}
          label={isPlan(revert) ? 'Plan again…' : 'Revert the rest…'}
        />
      )}
      {revert.started_at !== null && revert.reverted_by === null && counts.reverted > 0 && (
        <RevertButton
          size="sm"
          scope={{ revert_id: id }}
          title={`Undo revert ${formatNumber(id)}?`}
          label="Undo this revert…"
        />
      )}
      {isStarting && (
        <PasswordDialog
          title={`Revert ${what}?`}
          action="Revert"
          onClose={() => setStarting(false)}
          onConfirm={async (password) => {
            const body = { password }
            await changeReverts(client, `${path}/start`, { method: 'POST', body })
            setStarting(false)
          }}
        >
          {formatCount(counts.reverted, 'record')} will be reverted.
          {revert.holds &&
            ' The hub then refuses the values that it has taken back, until the platform sends other ones.'}
        </PasswordDialog>
      )}
    </>
  )
}

/** What the plan does not know, and which revert has taken back this one. */
function HistoryNotice({ revert: { history_since, reverted_by } }: { revert: Revert }) {
  return (
    <>
      {history_since !== null && (
        <Alert color="orange">
          Retention has deleted changes before <Time at={history_since} />. They are not reverted.
        </Alert>
      )}
      {reverted_by !== null && (
        <Alert color="gray">
          This, or a part of it, was taken back by <RevertLink id={reverted_by} />.
        </Alert>
      )}
    </>
  )
}

/** The number of values that the hub still refuses because of this revert. */
function HeldNotice({ revert: { id, counts } }: { revert: Revert }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const { held_now } = counts
  if (held_now === 0) return null
  const lift = () =>
    confirm({
      title: `Lift the holds of ${formatCount(held_now, 'record')}?`,
      children:
        'The next pull or push that still has the values that were taken back sets them again.',
      action: 'Lift the holds',
      color: 'harbour',
      onConfirm: () => changeReverts(client, `/api/v1/reverts/${id}/holds`, { method: 'DELETE' }),
    })
  const action = canOperate && (
    <Button size="xs" variant="default" onClick={lift}>
      Lift the holds…
    </Button>
  )
  return (
    <Notice icon={<IconHandStop size={16} />} action={action}>
      <b>{formatCount(held_now, 'record')} held.</b> Pulls and pushes that still have the values
      that were taken back do not set them. A hold ends when the platform sends another value.{' '}
      <PageLink
        inherit
        c="inherit"
        underline="always"
        to="/dashboard/reverts"
        search={{ tab: 'holds', revert: String(id) }}
      >
        Show
      </PageLink>
    </Notice>
  )
}

/** The counts, above the reason; while it runs, the progress. */
function Counts({ revert }: { revert: Revert }) {
  const { counts, reason, started_by, started_at, finished_at } = revert
  const isRunning = isActive(revert)
  const shown = [
    ...OUTCOMES.map(({ value, label, hint }) => ({
      label: isRunning && value === 'reverted' ? 'To revert' : label,
      ...{ hint, value: counts[value] },
    })),
    // Meanwhile they would be newer than the progress.
    ...(isRunning || isPlan(revert)
      ? []
      : [
          { label: 'Held now', hint: 'does not come back', value: counts.held_now },
          { label: 'No longer held', hint: 'lifted, or other values', value: counts.lifted },
        ]),
  ]
  return (
    <>
      <Group p="md">
        <Box flex="1 1 16rem" miw={0}>
          <Text size="sm">
            <Tinted>Reason:</Tinted> {reason}
          </Text>
          {isRunning && (
            <Progress
              mt={8}
              size={8}
              value={revert.progress.percent}
              color="var(--fill)"
              aria-label="Progress of the revert"
            />
          )}
          <Text size="sm" c="var(--text-2)" mt={4} role="status">
            {stateLabel(revert)}
            {started_at !== null && (
              <Tinted>
                {' '}
                Started by <OperatorName by={started_by} /> <Time at={started_at} />
                {finished_at !== null && (
                  <>
                    , ended <Time at={finished_at} />
                  </>
                )}
                .
              </Tinted>
            )}
          </Text>
        </Box>
      </Group>
      <dl className={`${classes['counts']} ${classes['large']}`}>
        {shown.map(({ label, hint, value }) => (
          <div key={label}>
            <dt>
              {label}
              <small>{hint}</small>
            </dt>
            <dd>{formatNumber(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
