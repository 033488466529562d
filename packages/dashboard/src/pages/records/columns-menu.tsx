import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconColumns3 } from '@tabler/icons-react'
import {
  arrange,
  type ColumnChoice,
  DEFAULT_CHOICE,
  isShown,
  move,
  toggle,
} from './column-choice.ts'
import type { Column } from './columns.ts'
import { TEXTS } from './texts.tsx'

/** A menu to show, hide and reorder columns. */
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
          {TEXTS.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0 }}>
            <Stack gap={4} role="group" aria-label={TEXTS.visibleColumns}>
              {arranged.map((column) => {
                const isVisible = isShown(column, choice)
                const position = visible.indexOf(column)
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
                        aria-label={TEXTS.moveUp(column.label)}
                        disabled={position < 1}
                        onClick={() => choose(move(columns, choice, column, -1))}
                      >
                        <IconArrowUp size={14} />
                      </ActionIcon>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size="sm"
                        aria-label={TEXTS.moveDown(column.label)}
                        disabled={position < 0 || position === visible.length - 1}
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
          <Button size="xs" variant="subtle" color="gray" onClick={() => choose(DEFAULT_CHOICE)}>
            {TEXTS.resetColumns}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
