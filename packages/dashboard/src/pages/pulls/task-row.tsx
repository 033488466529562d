import { Group, List, Progress, Stack, Text } from '@mantine/core'
import type { PullTask } from '@recordhub/protocol'
import { PullStateBadge } from './pull-state-badge.tsx'
import { pullStateLabel, taskInWords, taskPercent } from './pull-words.ts'

/** One module of one platform in a pull: its bar, what came, what went wrong. */
export function TaskRow({ task }: { task: PullTask }) {
  const percent = taskPercent(task)
  const name = `${task.platform_title} · ${task.module_name}`
  return (
    <Stack gap={4} component="li">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <PullStateBadge state={task.state} rejected={task.rejected} />
        </Group>
        <Text size="xs" c="dimmed">
          {taskInWords(task)}
        </Text>
      </Group>
      <Progress
        size="sm"
        value={percent ?? 100}
        striped={percent === null}
        animated={percent === null}
        color={pullStateLabel(task.state, task.rejected).color}
        aria-label={`Progress of ${name}`}
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
