import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconColumns3 } from '@tabler/icons-react'
import { arrange, type ColumnChoice, isShown, move, NO_CHOICE, toggle } from './column-choice.ts'
import type { Column } from './columns.ts'

/** Which columns are shown, and in which order. */
export function ColumnsMenu({
  columns,
  choice,
  choose,
}: {
  columns: readonly Column[]
  choice: ColumnChoice
  choose: (choice: ColumnChoice) => void
}) {
  const arranged = arrange(columns, choice)
  const visible = arranged.filter((column) => isShown(column, choice))
  return (
    <Popover position="bottom-end" withArrow shadow="md" trapFocus width={320}>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0 }}>
            <Stack gap={4} role="group" aria-label="Columns that are shown">
              {arranged.map((column) => {
                const isVisible = isShown(column, choice)
                const place = visible.indexOf(column)
                return (
                  <Group key={column.id} gap={4} wrap="nowrap" justify="space-between">
                    <Checkbox
                      size="sm"
                      label={column.label}
                      checked={isVisible}
                      disabled={isVisible && visible.length === 1}
                      onChange={() => choose(toggle(column, choice))}
                    />
                    <Group gap={2} wrap="nowrap" pr="sm">
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size="sm"
                        aria-label={`Move ${column.label} forward`}
                        disabled={place < 1}
                        onClick={() => choose(move(columns, choice, column, -1))}
                      >
                        <IconArrowUp size={14} />
                      </ActionIcon>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size="sm"
                        aria-label={`Move ${column.label} back`}
                        disabled={place < 0 || place === visible.length - 1}
                        onClick={() => choose(move(columns, choice, column, 1))}
                      >
                        <IconArrowDown size={14} />
                      </ActionIcon>
                    </Group>
                  </Group>
                )
              })}
            </Stack>
          </ScrollArea.Autosize>
          <Button size="xs" variant="subtle" color="gray" onClick={() => choose(NO_CHOICE)}>
            Reset columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
