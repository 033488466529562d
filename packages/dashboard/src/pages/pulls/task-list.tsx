import { Button, Group, Stack, Text } from '@mantine/core'
import type { PullTask } from '@recordhub/protocol'
import { TaskRow } from './task-row.tsx'

/** Modules of a pull. */
export function TaskList({ tasks }: { tasks: PullTask[] }) {
  if (tasks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No modules
      </Text>
    )
  }
  return (
    <Stack component="ul" gap="md" p={0} m={0} aria-label="Modules of the pull">
      {tasks.map((task) => (
        <TaskRow key={`${task.platform_name} ${task.record_type}`} task={task} />
      ))}
    </Stack>
  )
}

/** The way to the first and to the next modules, where there is more than one page. */
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
        First modules
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={next === null}
        onClick={() => onPage(next ?? '')}
      >
        Next modules
      </Button>
    </Group>
  )
}
