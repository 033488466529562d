import { Button } from '@mantine/core'
import { IconDownload, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { snapshot } from '../../api/live.ts'
import { refreshPullList } from '../../api/pulls.ts'
import { pauseSchedule } from '../../api/schedule.ts'
import { hasRole, session } from '../../api/session.ts'
import { attempt } from '../../components/confirm.tsx'
import { useStore } from '../../lib/store.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { PULL_ALL_PATH, startPull } from './pull-now-button.tsx'

/**
 * The Pull All form of the specification (4.1). Its button sends the request by AJAX. While a pull runs, which is shown
 * beside it, the form stays visible but disabled.
 */
export function PullAllForm() {
  const client = useQueryClient()
  const { operator } = useStore(session)
  const isRunning = useStore(snapshot)?.pull.pull != null
  const [isStarting, setStarting] = useState(false)
  const canOperate = operator === null || hasRole(operator.role, 'operator')
  const running = isRunning ? 'A pull is running.' : undefined
  const reason = canOperate ? running : TEXTS.requiresOperatorRole
  async function start() {
    setStarting(true)
    // After a 409, it returns the running pull, which is then shown.
    await attempt(async () => {
      await startPull()
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
      <Button
        type="button"
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={isStarting}
        disabled={!canOperate || isRunning}
        title={reason}
        onClick={start}
      >
        Pull All Existing Records
      </Button>
    </form>
  )
}

/** Pauses or resumes the schedule of pulls. Only for operators. */
export function PauseButton({ isPaused }: { isPaused: boolean }) {
  const canOperate = useHasRole('operator')
  const [isSending, setSending] = useState(false)
  async function change() {
    setSending(true)
    await attempt(() => pauseSchedule(!isPaused))
    setSending(false)
  }
  if (!canOperate) return null
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause
  return (
    <Button
      size="xs"
      variant={isPaused ? 'default' : 'subtle'}
      color="gray"
      leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
      loading={isSending}
      onClick={() => void change()}
    >
      {isPaused ? TEXTS.resume : TEXTS.pause}
    </Button>
  )
}
