import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconColumns3 } from '@tabler/icons-react'
import { moveTo, type PlacedColumn } from './column-layout.ts'
import type { Column } from './columns.ts'

/** A menu to show, hide and reorder columns. */
export function ColumnsMenu({
  columns,
  shown,
  place,
  reset,
}: {
  columns: readonly Column[]
  shown: readonly (Column & PlacedColumn)[]
  place: (layout: readonly PlacedColumn[]) => void
  reset: () => void
}) {
  const ids = new Set(shown.map(({ id }) => id))
  const hidden = columns.filter(({ id }) => !ids.has(id))
  return (
    <Popover position="bottom-end" shadow="md" trapFocus width={320}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0 }}>
            <Stack gap={4} role="group" aria-label="Visible columns">
              {shown.map(({ id, label }, index) => (
                <Group key={id} gap={4} wrap="nowrap" justify="space-between">
                  <Checkbox
                    size="xs"
                    label={label}
                    checked
                    disabled={shown.length === 1}
                    onChange={() => place(shown.filter((one) => one.id !== id))}
                  />
                  <Group gap={2} wrap="nowrap" pr="sm">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="sm"
                      aria-label={`Move ${label} up`}
                      disabled={index === 0}
                      onClick={() => place(moveTo(shown, id, shown[index - 1]?.id))}
                    >
                      <IconArrowUp size={14} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="sm"
                      aria-label={`Move ${label} down`}
                      disabled={index === shown.length - 1}
                      onClick={() => place(moveTo(shown, id, shown[index + 1]?.id))}
                    >
                      <IconArrowDown size={14} />
                    </ActionIcon>
                  </Group>
                </Group>
              ))}
              {hidden.map(({ id, label }) => (
                <Checkbox
                  key={id}
                  size="xs"
                  label={label}
                  checked={false}
                  onChange={() => place([...shown, { id, width: undefined, isPinned: false }])}
                />
              ))}
            </Stack>
          </ScrollArea.Autosize>
          <Button size="xs" variant="subtle" color="gray" onClick={reset}>
            Reset columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
