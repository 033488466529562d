import { Button, Group, Stack, Text } from '@mantine/core'
import type { PullTask } from '@recordhub/protocol'
import { TaskRow } from './task-row.tsx'

/** A page of a pull's modules, and the way to the next one. */
export function TaskList({
  tasks,
  cursor,
  next,
  onPage,
}: {
  tasks: PullTask[]
  cursor: string
  next: string | null
  onPage: (cursor: string) => void
}) {
  if (tasks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is none.
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      <Stack component="ul" gap="md" p={0} m={0} aria-label="Modules of the pull">
        {tasks.map((task) => (
          <TaskRow key={`${task.platform_name} ${task.record_type}`} task={task} />
        ))}
      </Stack>
      {(cursor !== '' || next !== null) && (
        <Group gap="xs">
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
      )}
    </Stack>
  )
}
