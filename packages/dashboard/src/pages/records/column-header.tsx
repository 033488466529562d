import { Group, Menu, Text, UnstyledButton } from '@mantine/core'
import {
  IconArrowAutofitWidth,
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowsDiff,
  IconArrowUp,
  IconBolt,
  IconChevronDown,
  IconEyeOff,
  IconFilter,
  IconPin,
} from '@tabler/icons-react'
import { MENU_PROPS } from '../../components/menu-props.ts'
import classes from './column-header.module.css'
import type { Column } from './columns.ts'
import type { Sort } from './list-query.ts'

export type ColumnActions = {
  sort: (sort: Sort) => void
  filter: (column: Column) => void
  hide: () => void
  move: (by: -1 | 1) => void
  /** In pixels. */
  widen: (by: number) => void
  isPinned: boolean
  pin: () => void
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
    isSorted ? (sort.descending ? 'sorted descending' : 'sorted ascending') : '',
    isFiltered ? 'filtered' : '',
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
            <Text fz="inherit" fw={500} truncate>
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
              Sort ascending
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowDown size={16} />}
              onClick={() => actions.sort({ by, descending: true })}
            >
              Sort descending
            </Menu.Item>
          </>
        )}
        {isIndexed === false && (
          <Menu.Label maw={240}>
            Not indexed: sorting scans the records for at most two seconds.
          </Menu.Label>
        )}
        {actions.index && (
          <Menu.Item leftSection={<IconBolt size={16} />} onClick={() => actions.index?.(column)}>
            Index this field
          </Menu.Item>
        )}
        {column.filter !== null && (
          <Menu.Item leftSection={<IconFilter size={16} />} onClick={() => actions.filter(column)}>
            Filter…
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconArrowLeft size={16} />} onClick={() => actions.move(-1)}>
          Move left
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowRight size={16} />} onClick={() => actions.move(1)}>
          Move right
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowAutofitWidth size={16} />}
          closeMenuOnClick={false}
          onClick={() => actions.widen(40)}
        >
          Wider
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowsDiff size={16} />}
          closeMenuOnClick={false}
          onClick={() => actions.widen(-40)}
        >
          Narrower
        </Menu.Item>
        <Menu.Item leftSection={<IconPin size={16} />} onClick={actions.pin}>
          {actions.isPinned ? 'Unpin' : 'Pin to the left'}
        </Menu.Item>
        <Menu.Item leftSection={<IconEyeOff size={16} />} onClick={actions.hide}>
          Hide
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
