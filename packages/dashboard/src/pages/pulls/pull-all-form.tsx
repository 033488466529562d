import { Button } from '@mantine/core'
import { IconDownload, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { snapshot } from '../../api/live.ts'
import { refreshPullList } from '../../api/pulls.ts'
import { pauseSchedule } from '../../api/schedule.ts'
import { hasRole, session } from '../../api/session.ts'
import { notify, useAttempt } from '../../components/confirm.tsx'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { alreadyRunningLabel } from './pull-labels.ts'
import { PULL_ALL_PATH, startPull } from './pull-now-button.tsx'

/**
 * The Pull All form of the specification (4.1). Its button sends the request by AJAX. While a pull runs, which is shown
 * beside it, the form stays visible but disabled.
 */
export function PullAllForm() {
  const client = useQueryClient()
  const { operator } = useStore(session)
  const pull = useStore(snapshot)?.pull.pull ?? null
  const { isBusy, run } = useAttempt()
  const canOperate = operator === null || hasRole(operator.role, 'operator')
  const running = pull ? alreadyRunningLabel(pull, Date.now()) : undefined
  const reason = canOperate ? running : TEXTS.requiresOperatorRole
  async function start() {
    // After a 409, it returns the running pull, which is then shown.
    const started = await startPull()
    if (!started.isNew) notify(alreadyRunningLabel(started.pull, Date.now()))
    await refreshPullList(client)
  }
  return (
    <form
      method="post"
      action={PULL_ALL_PATH}
      data-ajax-form="pull-all-records"
      onSubmit={(event) => event.preventDefault()}
    >
      <Button
        type="button"
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={isBusy}
        disabled={!canOperate || pull !== null}
        title={reason}
        onClick={() => void run(start)}
      >
        Pull All Existing Records
      </Button>
    </form>
  )
}

/** Pauses or resumes the schedule of pulls. Only for operators. */
export function PauseButton({ isPaused }: { isPaused: boolean }) {
  const canOperate = useHasRole('operator')
  const { isBusy, run } = useAttempt()
  if (!canOperate) return null
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause
  return (
    <Button
      size="xs"
      variant={isPaused ? 'default' : 'subtle'}
      color="gray"
      leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
      loading={isBusy}
      onClick={() => void run(() => pauseSchedule(!isPaused))}
    >
      {isPaused ? TEXTS.resume : TEXTS.pause}
    </Button>
  )
}
