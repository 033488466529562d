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
import { useUrlState } from '../../lib/url-state.ts'
import classes from './column-header.module.css'
import { MIN_WIDTH, moveTo, type PlacedColumn, type ShownColumn, widthOf } from './column-layout.ts'
import { changeView, conditionsOf, sortOf, textOfSort } from './list-query.ts'
import type { Indexing } from './use-indexing.ts'

/** The header of a column, which opens its menu. */
export function ColumnHeader(props: {
  column: ShownColumn
  /** All that are shown. */
  columns: readonly ShownColumn[]
  place: (layout: readonly PlacedColumn[]) => void
  indexing: Indexing
  onFilter: (column: ShownColumn) => void
}) {
  const { column, columns, place, indexing, onFilter } = props
  const [state, change] = useUrlState()
  const { label, isPinned, sort: by } = column
  const sort = sortOf(state)
  const isSorted = by !== null && by === sort.by
  const isFiltered = conditionsOf(state).some(({ key }) => key === column.filter)
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp
  const states = [
    isSorted ? (sort.descending ? 'sorted descending' : 'sorted ascending') : '',
    isFiltered ? 'filtered' : '',
  ].filter((one) => one !== '')
  const at = columns.indexOf(column)
  const set = (changes: Partial<PlacedColumn>) => place(columns.with(at, { ...column, ...changes }))
  const widen = (pixels: number) => set({ width: Math.max(MIN_WIDTH, widthOf(column) + pixels) })
  const move = (steps: -1 | 1) => place(moveTo(columns, column.id, columns[at + steps]?.id))
  const hide = () => columns.length > 1 && place(columns.toSpliced(at, 1))
  const item = (text: string, Icon: typeof IconPin, onClick: () => void, closes = true) => (
    <Menu.Item leftSection={<Icon size={16} />} closeMenuOnClick={closes} onClick={onClick}>
      {text}
    </Menu.Item>
  )
  const sortItem = (text: string, Icon: typeof IconPin, descending: boolean) =>
    by !== null &&
    item(text, Icon, () => change(changeView({ sort: textOfSort({ by, descending }) })))
  return (
    <Menu position="bottom-start" withArrow shadow="md">
      <Menu.Target>
        <UnstyledButton
          className={classes['head']}
          aria-label={[label, ...states].join(', ')}
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
        {sortItem('Sort ascending', IconArrowUp, false)}
        {sortItem('Sort descending', IconArrowDown, true)}
        {indexing.isUnindexed(column) && (
          <Menu.Label maw={240}>
            Not indexed: sorting scans the records for at most two seconds.
          </Menu.Label>
        )}
        {indexing.canIndex(column) &&
          item('Index this field', IconBolt, () => void indexing.index(column))}
        {column.filter !== null && item('Filter…', IconFilter, () => onFilter(column))}
        <Menu.Divider />
        {item('Move left', IconArrowLeft, () => move(-1))}
        {item('Move right', IconArrowRight, () => move(1))}
        {item('Wider', IconArrowAutofitWidth, () => widen(40), false)}
        {item('Narrower', IconArrowsDiff, () => widen(-40), false)}
        {item(isPinned ? 'Unpin' : 'Pin to the left', IconPin, () => set({ isPinned: !isPinned }))}
        {item('Hide', IconEyeOff, hide)}
      </Menu.Dropdown>
    </Menu>
  )
}
