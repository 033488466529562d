import { Group, Menu, Text, UnstyledButton } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconBolt,
  IconChevronDown,
  IconEyeOff,
  IconFilter,
} from '@tabler/icons-react'
import { MENU_PROPS } from '../../components/menu-props.ts'
import classes from './column-header.module.css'
import type { Column } from './columns.ts'
import type { Sort } from './list-query.ts'
import { TEXTS } from './texts.tsx'

export type ColumnActions = {
  sort: (sort: Sort) => void
  filter: (column: Column) => void
  hide: (column: Column) => void
  move: (column: Column, by: -1 | 1) => void
  /** Null if the column cannot be indexed, is already indexed, or the role does not allow it. */
  index: ((column: Column) => void) | null
}

/** The header of a column, which opens its menu. */
export function ColumnHeader({
  column,
  sort,
  isFiltered,
  isIndexed,
  actions,
}: {
  column: Column
  sort: Sort
  isFiltered: boolean
  /** Null for the hub's own columns, which are always indexed. */
  isIndexed: boolean | null
  actions: ColumnActions
}) {
  const { label } = column
  const isSorted = column.sort !== null && column.sort === sort.by
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp
  const by = column.sort
  const state = [
    isSorted ? (sort.descending ? TEXTS.sortedDescending : TEXTS.sortedAscending) : '',
    isFiltered ? TEXTS.filtered : '',
  ].filter((label) => label !== '')
  return (
    <Menu {...MENU_PROPS} position="bottom-start" withArrow shadow="md">
      <Menu.Target>
        <UnstyledButton
          className={classes['head']}
          aria-label={[label, ...state].join(', ')}
          title={label}
        >
          <Group gap={4} wrap="nowrap" className={column.kind === 'number' ? classes['atEnd'] : ''}>
            <Text fz="sm" fw={600} truncate maw={220}>
              {label}
            </Text>
            {isSorted && <Arrow size={14} aria-hidden />}
            {isFiltered && <IconFilter size={14} aria-hidden />}
            <IconChevronDown size={14} className={classes['chevron']} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {by !== null && (
          <>
            <Menu.Item
              leftSection={<IconArrowUp size={16} />}
              onClick={() => actions.sort({ by, descending: false })}
            >
              {TEXTS.sortAscending}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowDown size={16} />}
              onClick={() => actions.sort({ by, descending: true })}
            >
              {TEXTS.sortDescending}
            </Menu.Item>
          </>
        )}
        {isIndexed === false && <Menu.Label maw={240}>{TEXTS.notIndexedHint}</Menu.Label>}
        {actions.index && (
          <Menu.Item leftSection={<IconBolt size={16} />} onClick={() => actions.index?.(column)}>
            {TEXTS.indexThisField}
          </Menu.Item>
        )}
        {column.filter !== null && (
          <Menu.Item leftSection={<IconFilter size={16} />} onClick={() => actions.filter(column)}>
            {TEXTS.filter}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconArrowLeft size={16} />}
          onClick={() => actions.move(column, -1)}
        >
          {TEXTS.moveLeft}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          onClick={() => actions.move(column, 1)}
        >
          {TEXTS.moveRight}
        </Menu.Item>
        <Menu.Item leftSection={<IconEyeOff size={16} />} onClick={() => actions.hide(column)}>
          {TEXTS.hide}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
