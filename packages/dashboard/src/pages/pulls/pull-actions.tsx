/** What can be done with a pull of the list: a running one is cancelled, a finished one opened or reverted. A phone shows only *Cancel*. */
import { ActionIcon, Menu } from '@mantine/core'
import type { Pull, Revert } from '@recordhub/protocol'
import { IconArrowBackUp, IconDots, IconEye } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '../../components/link-button.tsx'
import { MENU_PROPS } from '../../components/menu-props.ts'
import { formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { PlanDialog } from '../reverts/plan-dialog.tsx'
import { CancelButton } from './pull-now-button.tsx'
import { changesOf } from './pull-rows.ts'
import classes from './pulls.module.css'

export function PullActions({ pull }: { pull: Pull & { revert?: Revert | undefined } }) {
  const canOperate = useHasRole('operator')
  const [isReverting, setReverting] = useState(false)
  if (pull.finished_at === null) return <CancelButton pull={pull} isQuiet />
  if (pull.revert) {
    const id = String(pull.revert.id)
    return (
      <LinkButton
        {...{ size: 'xs', variant: 'subtle', color: 'gray', px: 6 }}
        className={classes['notOnPhone'] ?? ''}
        to="/dashboard/reverts/$id"
        params={{ id }}
      >
        Show revert
      </LinkButton>
    )
  }
  const name = `pull ${formatNumber(pull.id)}`
  return (
    <>
      <Menu {...MENU_PROPS} position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon
            {...{ size: 'sm', variant: 'subtle', color: 'gray' }}
            className={classes['notOnPhone'] ?? ''}
            aria-label={`Actions of ${name}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            to={`/dashboard/pulls/${pull.id}`}
            leftSection={<IconEye size={16} aria-hidden />}
          >
            Open
          </Menu.Item>
          {canOperate && changesOf(pull) > 0 && (
            <Menu.Item
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={() => setReverting(true)}
            >
              Revert…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isReverting && (
        <PlanDialog
          scope={{ pull_id: pull.id }}
          title={`Revert ${name}?`}
          onClose={() => setReverting(false)}
        />
      )}
    </>
  )
}
