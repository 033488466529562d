import { Group, Paper, Stack } from '@mantine/core'
import type { Pull, PullTask } from '@recordhub/protocol'
import { SideDrawer } from '../../components/dialog.tsx'
import { PullLink } from '../../components/page-link.tsx'
import { formatCount } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import { ModuleTable, PullProgress } from '../pulls/module-table.tsx'
import { CancelButton } from '../pulls/pull-now-button.tsx'

/** The modules of a pull, over the page. */
export function PullModules(props: {
  pull: Pull
  tasks: PullTask[]
  /** On the hub's clock. */
  now: number
  opened: boolean
  onClose: () => void
}) {
  const { pull, tasks, now, opened, onClose } = props
  return (
    <SideDrawer
      opened={opened}
      onClose={onClose}
      // The counts of the modules need the width of a table.
      size="min(68rem, 100vw)"
      title={`Modules of pull ${pull.id}`}
      closeButtonProps={{ 'aria-label': TEXTS.close }}
    >
      <Stack gap="md">
        <Paper withBorder>
          <PullProgress pull={pull} now={now} />
        </Paper>
        <ModuleTable tasks={tasks} now={now} />
        <Group justify="space-between">
          <PullLink id={pull.id} size="sm">
            All {formatCount(pull.progress.tasks_total, 'module')}
          </PullLink>
          {pull.finished_at === null && <CancelButton pull={pull} />}
        </Group>
      </Stack>
    </SideDrawer>
  )
}
