import { Paper, Stack } from '@mantine/core'
import type { Pull, PullTask } from '@recordhub/protocol'
import { PageLink } from '../../components/page-link.tsx'
import { SideDrawer } from '../../components/side-drawer.tsx'
import { formatCount } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import { ModuleTable, PullProgress } from '../pulls/module-table.tsx'

/** The modules of a pull, over the page. */
export function PullModules({
  pull,
  tasks,
  now,
  opened,
  onClose,
}: {
  pull: Pull
  tasks: PullTask[]
  /** On the hub's clock. */
  now: number
  opened: boolean
  onClose: () => void
}) {
  return (
    <SideDrawer
      opened={opened}
      onClose={onClose}
      title={`Modules of pull ${pull.id}`}
      closeButtonProps={{ 'aria-label': TEXTS.close }}
    >
      <Stack gap="md">
        <Paper withBorder>
          <PullProgress pull={pull} now={now} />
        </Paper>
        <ModuleTable tasks={tasks} now={now} />
        <PageLink size="sm" to="/dashboard/pulls/$id" params={{ id: String(pull.id) }}>
          All {formatCount(pull.progress.tasks_total, 'module')}
        </PageLink>
      </Stack>
    </SideDrawer>
  )
}
