import { Button, Group, List, Progress, Stack, Text } from '@mantine/core'
import type { PullTask } from '@recordhub/protocol'
import { pullStateLabel, taskLabel, taskPercent } from './pull-labels.ts'
import { PullStateBadge } from './pull-state-badge.tsx'
import { TEXTS } from './texts.tsx'

/** The modules of a pull. */
export function TaskList({
  tasks,
  now,
}: {
  tasks: PullTask[]
  /** On the hub's clock. */
  now: number
}) {
  if (tasks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {TEXTS.noModules}
      </Text>
    )
  }
  return (
    <Stack component="ul" gap="md" p={0} m={0} aria-label={TEXTS.modulesOfPull}>
      {tasks.map((task) => (
        <TaskRow key={`${task.platform_name} ${task.record_type}`} task={task} now={now} />
      ))}
    </Stack>
  )
}

/** Buttons for the first and the next page of modules. Renders nothing for a single page. */
export function TaskPager({
  cursor,
  next,
  onPage,
}: {
  cursor: string
  next: string | null
  onPage: (cursor: string) => void
}) {
  if (cursor === '' && next === null) return null
  return (
    <Group gap="xs" mt="sm">
      <Button size="xs" variant="default" disabled={cursor === ''} onClick={() => onPage('')}>
        {TEXTS.firstModules}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={next === null}
        onClick={() => onPage(next ?? '')}
      >
        {TEXTS.nextModules}
      </Button>
    </Group>
  )
}

/** One module of a platform in a pull: progress, counts, error and warnings. */
function TaskRow({ task, now }: { task: PullTask; now: number }) {
  const percent = taskPercent(task)
  const name = `${task.platform_title} · ${task.module_name}`
  return (
    <Stack gap={4} component="li">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <PullStateBadge state={task.state} counts={task} />
        </Group>
        <Text size="xs" c="dimmed">
          {taskLabel(task, now)}
        </Text>
      </Group>
      <Progress
        size="sm"
        value={percent ?? 100}
        striped={percent === null}
        animated={percent === null}
        color={pullStateLabel(task.state, task).color}
        aria-label={TEXTS.progressOf(name)}
      />
      {task.error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {task.error}
        </Text>
      )}
      {task.warnings.length > 0 && (
        <List size="xs" c="dimmed">
          {task.warnings.map((warning) => (
            <List.Item key={warning}>{warning}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
