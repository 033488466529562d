import { Button, Checkbox, Group, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import type { DataField } from '@recordhub/protocol'
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconColumns3,
} from '@tabler/icons-react'
import { useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { moveTo, type PlacedColumn, type ShownColumn } from './column-layout.ts'
import { type Column, type ColumnNode, columnTree, MAX_CHOICES } from './columns.ts'

/** A menu to show, hide and reorder columns: those of the manifest, and a tree of what the data contain. */
export function ColumnsMenu(props: {
  columns: readonly Column[]
  /** What the data of the module contain; empty for several modules. */
  fields: readonly DataField[]
  shown: readonly ShownColumn[]
  place: (layout: readonly PlacedColumn[]) => void
  reset: () => void
}) {
  const { columns, fields, shown, place, reset } = props
  const [text, setText] = useState('')
  return (
    <Popover position="bottom-end" shadow="md" trapFocus width={340}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <TextInput
            aria-label="Find a field"
            placeholder="Find a field"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <ScrollArea.Autosize
            mah="min(60dvh, 35rem)"
            viewportProps={{ tabIndex: 0, 'aria-label': 'Columns' }}
          >
            <Stack gap={4} role="group" aria-label="Visible columns">
              {shown.map((column) => (
                <Shown key={column.id} column={column} shown={shown} place={place} />
              ))}
            </Stack>
            <Text size="xs" c="dimmed" mt="xs" mb={4}>
              Not shown
            </Text>
            <Tree
              columns={columns}
              fields={fields}
              shown={new Set(shown.map(({ id }) => id))}
              search={text.trim().toLowerCase()}
              onAdd={(id) => place([...shown, { id, width: undefined, isPinned: false }])}
            />
          </ScrollArea.Autosize>
          <Button size="xs" variant="subtle" color="gray" onClick={reset}>
            Reset columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function Shown(props: {
  column: ShownColumn
  shown: readonly ShownColumn[]
  place: (layout: readonly PlacedColumn[]) => void
}) {
  const { column, shown, place } = props
  const { id, label } = column
  const index = shown.indexOf(column)
  const move = (where: 'up' | 'down', to: ShownColumn | undefined, Icon: typeof IconArrowUp) => (
    <IconButton
      label={`Move ${label} ${where}`}
      size="sm"
      disabled={!to}
      onClick={() => place(moveTo(shown, id, to?.id))}
    >
      <Icon size={14} />
    </IconButton>
  )
  return (
    <Group gap={4} wrap="nowrap" justify="space-between">
      <Checkbox
        size="xs"
        label={label}
        checked
        disabled={shown.length === 1}
        onChange={() => place(shown.filter((one) => one.id !== id))}
      />
      <Group gap={2} wrap="nowrap" pr="sm">
        {move('up', shown[index - 1], IconArrowUp)}
        {move('down', shown[index + 1], IconArrowDown)}
      </Group>
    </Group>
  )
}

function Tree(props: {
  columns: readonly Column[]
  fields: readonly DataField[]
  shown: ReadonlySet<string>
  search: string
  onAdd: (id: string) => void
}) {
  const { columns, fields, shown, search, onAdd } = props
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => setOpen(open.symmetricDifference(new Set([id])))
  const isOpen = (id: string) => search !== '' || open.has(id)
  const lines = linesOf(columnTree(columns, fields), search, isOpen, 0).filter(
    ({ node }) => node.children.length > 0 || !shown.has(node.id),
  )
  return (
    <Stack gap={4}>
      {lines.slice(0, MAX_CHOICES).map(({ node, depth }) => (
        <Group key={node.id} gap={4} wrap="nowrap" pl={depth * 18}>
          {node.children.length > 0 ? (
            <IconButton
              variant="transparent"
              size={16}
              label={`${isOpen(node.id) ? 'Fold' : 'Unfold'} ${node.label}`}
              aria-expanded={isOpen(node.id)}
              onClick={() => toggle(node.id)}
            >
              {isOpen(node.id) ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
            </IconButton>
          ) : (
            fields.length > 0 && <span style={{ width: 16 }} />
          )}
          {shown.has(node.id) ? (
            <Text size="sm" flex={1}>
              {node.label}
            </Text>
          ) : (
            <Checkbox
              size="xs"
              flex={1}
              label={node.label}
              checked={false}
              onChange={() => onAdd(node.id)}
            />
          )}
          <Text size="xs" c="dimmed" truncate maw={110} pr="sm">
            {node.hint}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

function linesOf(
  nodes: readonly ColumnNode[],
  search: string,
  isOpen: (id: string) => boolean,
  depth: number,
): { node: ColumnNode; depth: number }[] {
  return nodes.flatMap((node) => {
    const within = isOpen(node.id) ? linesOf(node.children, search, isOpen, depth + 1) : []
    const isFound = search === '' || `${node.label} ${node.id}`.toLowerCase().includes(search)
    return isFound || within.length > 0 ? [{ node, depth }, ...within] : []
  })
}
