import { Button, Menu, Tooltip } from '@mantine/core'
import { IconDownload, IconRefresh } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { notify, useAttempt } from '../../components/confirm.tsx'
import { TEXTS } from '../../texts.ts'
import { alreadyRunningLabel } from '../pulls/pull-labels.ts'
import { startPull } from '../pulls/pull-now-button.tsx'

/**
 * Pulls a platform. If a pull is already running, shows that one. `full` reads everything again, of the platform or of one
 * module.
 */
export function PullButton(props: {
  platform: { id: number; status: string; modules_registered: number }
  full?: { record_type?: string }
  /** An item of a menu. */
  isItem?: boolean
}) {
  const { platform, full, isItem = false } = props
  const { id, status, modules_registered } = platform
  const { isBusy, run } = useAttempt()
  const navigate = useNavigate()
  const reason =
    status === 'inactive'
      ? 'The platform is inactive'
      : modules_registered === 0
        ? TEXTS.noModulesRegistered
        : null

  async function pull(): Promise<void> {
    const { pull, isNew } = await startPull(`/api/v1/platforms/${id}/pull`, toBody(full))
    notify(isNew ? 'The pull has started.' : alreadyRunningLabel(pull, Date.now()))
    await navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull.id) } })
  }

  const Icon = full ? IconRefresh : IconDownload
  const hint = reason ?? (full ? 'Without the ETag or Last-Modified of the last response' : null)
  const common = {
    leftSection: <Icon size={16} aria-hidden />,
    // A disabled button would not show its tooltip.
    ...(reason === null ? {} : { 'data-disabled': true }),
    'aria-disabled': reason !== null,
    onClick: () => reason === null && void run(pull),
    children: full ? 'Read everything again' : 'Pull now',
  }
  const button = isItem ? (
    <Menu.Item {...common} />
  ) : (
    <Button variant="default" loading={isBusy} {...common} />
  )
  return hint === null ? button : <Tooltip label={hint}>{button}</Tooltip>
}

function toBody(full: { record_type?: string } | undefined): object {
  if (!full) return {}
  return { mode: 'full', ...(full.record_type && { record_types: [full.record_type] }) }
}
