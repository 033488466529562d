import { Group, List, Progress, Stack, Text } from '@mantine/core'
import type { PullTask } from '@recordhub/protocol'
import { StatusBadge } from '../../components/status-badge.tsx'
import { taskInWords, taskPercent } from './pull-words.ts'

const COLORS: Readonly<Record<string, string>> = {
  succeeded: 'green',
  failed: 'red',
  timed_out: 'red',
  running: 'harbour',
  interrupted: 'orange',
  not_reached: 'orange',
}

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
          <StatusBadge status={task.state} />
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
        color={COLORS[task.state] ?? 'gray'}
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
