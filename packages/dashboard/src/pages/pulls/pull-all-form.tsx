import { Button, Stack, Text, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { snapshot } from '../../api/live.ts'
import { refreshPullList } from '../../api/pulls.ts'
import { hasRole, session } from '../../api/session.ts'
import { attempt } from '../../components/confirm.tsx'
import { Time } from '../../components/time.tsx'
import { useStore } from '../../lib/store.ts'
import { starterLabel } from './pull-labels.ts'
import { PULL_ALL_PATH, startPull } from './start-pull.ts'
import { TEXTS } from './texts.tsx'

/** Two lines, so that the layout stays the same whatever the message is. */
const MESSAGE_HEIGHT = 44

/**
 * The Pull All form of the specification (4.1). Its button sends the request by AJAX. While a pull runs, the form stays
 * visible but disabled. `isBrief`: without the line below it, beside a line that says the same.
 */
export function PullAllForm({ isBrief = false }: { isBrief?: boolean }) {
  const client = useQueryClient()
  const { operator } = useStore(session)
  const running = useStore(snapshot)?.pull.pull ?? null
  const [isStarting, setStarting] = useState(false)
  /** The pull that prevented another one, after a 409. */
  const [conflict, setConflict] = useState<number | null>(null)
  const canOperate = operator === null || hasRole(operator.role, 'operator')
  async function start() {
    setStarting(true)
    await attempt(async () => {
      const { pull, isNew } = await startPull()
      setConflict(isNew ? null : pull.id)
      await refreshPullList(client)
    })
    setStarting(false)
  }
  return (
    <form
      method="post"
      action={PULL_ALL_PATH}
      data-ajax-form="pull-all-records"
      onSubmit={(event) => event.preventDefault()}
    >
      <Stack gap={4} align={isBrief ? 'stretch' : 'flex-start'}>
        <Tooltip
          label={canOperate ? TEXTS.pullRunning : TEXTS.requiresOperatorRole}
          disabled={canOperate && running === null}
        >
          <Button
            type="button"
            variant={isBrief ? 'default' : 'filled'}
            leftSection={<IconDownload size={16} />}
            loading={isStarting}
            disabled={!canOperate || running !== null}
            onClick={start}
          >
            {TEXTS.pullAllExistingRecords}
          </Button>
        </Tooltip>
        {!isBrief && (
          <Text size="sm" c="dimmed" mih={MESSAGE_HEIGHT} role="status">
            {running?.id === conflict && running ? (
              TEXTS.pullAlreadyRunning(starterLabel(running), <Time at={running.requested_at} />)
            ) : running ? (
              TEXTS.pullRunning
            ) : canOperate ? (
              <ScheduleHint />
            ) : (
              TEXTS.requiresOperatorRole
            )}
          </Text>
        )}
      </Stack>
    </form>
  )
}

/** The start of the next scheduled pull. */
function ScheduleHint() {
  const pull = useStore(snapshot)?.pull
  if (!pull) return null
  if (pull.schedule_paused) {
    return <>{TEXTS.schedulePaused(<Link to="/dashboard/pulls">{TEXTS.resume}</Link>)}</>
  }
  return pull.next_run_at
    ? TEXTS.nextScheduledPullAt(<Time at={pull.next_run_at} />)
    : TEXTS.noSchedule
}
