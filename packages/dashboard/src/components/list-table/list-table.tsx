/** The table of every list of the page: Mantine's markup, TanStack's columns and virtual rows. */
import { Button, Group, Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import {
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  functionalUpdate,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, Fragment, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { cancel, isOfElement, moveBetweenRows, moveByDragging } from './interactions.ts'
import classes from './list-table.module.css'

export type ListColumn<Row> = {
  id: string
  title: string
  render: (row: Row) => ReactNode
  /** In pixels at the default font size. A column without a width takes the room that is left. */
  width?: number
  align?: 'right'
  /** `desktop`: hidden where the table is narrower than 900 px, except on a phone. */
  from?: 'desktop'
  /**
   * Where a phone shows the value, which has rows of two or three lines there: at the beginning or end of the first line, at
   * the end of the second, on a line of its own, with the title before it, or nowhere. By default the first column begins the
   * first line, and the others follow each other in the second.
   */
  phone?: 'first' | 'end' | 'end2' | 'line' | 'labelled' | 'none'
  /** The name by which the list is sorted. */
  sort?: string
  /** Replaces the title in the head. */
  head?: ReactNode
  /** The title is only for screen readers. */
  hidesTitle?: boolean
}

type ListSort = { by: string; descending: boolean }

/** The widths of columns in pixels, and the columns that stay visible while the others scroll. */
type ListLayout = {
  widths: Readonly<Record<string, number>>
  pinned: readonly string[]
  /** The column that takes the room that is left. */
  flexible: string | undefined
  onResize: (widths: Readonly<Record<string, number>>) => void
  /** Moves a column to the place of another. */
  onMove: (id: string, to: string) => void
}

type ListTableProps<Row> = {
  /** What the table lists. */
  label: string
  columns: readonly ListColumn<Row>[]
  /** Undefined while they load, which shows skeletons. */
  rows: readonly Row[] | undefined
  idOf: (row: Row) => string | number
  /** Shown instead of the table if there are no rows. */
  empty?: ReactNode
  sort?: ListSort & { onSort: (sort: ListSort) => void }
  /** Opens a row that is clicked. Its first cell has a link or button for the keyboard. */
  onOpen?: (row: Row) => void
  isCurrent?: (row: Row) => boolean
  /** The heading above each run of rows with the same one, such as their day. Not with `scrolls`. */
  headingOf?: (row: Row) => { id: string; content: ReactNode }
  /** What is shown below the cells of a row, over their whole width; nothing for other rows. Not with `scrolls`. */
  noteOf?: (row: Row) => ReactNode
  /** `sunken`: a row of an open fold. `quiet`: what seldom needs to be read. */
  lookOf?: (row: Row) => 'sunken' | 'quiet' | undefined
  /** The rows belong to a list that has been left already. */
  isStale?: boolean
  /** Loads the rows after the last one. */
  more?: { label: string; isLoading: boolean; onLoad: () => void } | null
  layout?: ListLayout
  /** The rows scroll in the height that is left, and only the visible ones are rendered. */
  scrolls?: boolean
  /** Without a border, in a card that has one. */
  isPlain?: boolean
}

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, columnPinningFeature })
/** In pixels; rows with several lines are measured. */
const ROW_HEIGHT = 36
const HEAD_HEIGHT = 36
const MIN_WIDTH = 64
const FLEXIBLE_WIDTH = 200
const SKELETON_ROWS = [1, 2, 3, 4, 5, 6, 7, 8]

export function ListTable<Row extends Record<string, unknown>>(props: ListTableProps<Row>) {
  const { label, rows, columns, empty, layout, scrolls = false, isStale = false } = props
  const scroller = useRef<HTMLDivElement>(null)
  const data = useMemo(() => [...(rows ?? [])], [rows])
  const definitions = useMemo(
    () =>
      columns.map(({ id, title, width = FLEXIBLE_WIDTH }) => ({
        id,
        header: title,
        size: width,
        minSize: Math.min(width, MIN_WIDTH),
      })),
    [columns],
  )
  const table = useTable({
    features,
    data,
    columns: definitions,
    getRowId: (row) => String(props.idOf(row)),
    columnResizeMode: 'onChange',
    state: {
      columnSizing: { ...layout?.widths },
      columnPinning: { start: [...(layout?.pinned ?? [])], end: [] },
    },
    onColumnSizingChange: (update) =>
      layout?.onResize(functionalUpdate(update, { ...layout.widths })),
  })
  const all = table.getRowModel().rows
  const virtual = useVirtualizer({
    count: scrolls ? all.length : 0,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => all[index]?.id ?? index,
    estimateSize: () => ROW_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    overscan: 12,
    useFlushSync: false,
  })
  const current = scrolls ? all.findIndex(({ original }) => props.isCurrent?.(original)) : -1
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another row is opened.
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current)
  }, [current])

  if (rows?.length === 0 && empty !== undefined) return empty
  const begin = columns.find(({ phone }) => phone === 'first') ?? columns[0]
  const phoneOf = (column: ListColumn<Row>) => (column === begin ? 'first' : column.phone)
  const byId = new Map(columns.map((column) => [column.id, column]))
  const heads = table.getHeaderGroups().flatMap(({ headers }) =>
    headers.flatMap((header) => {
      const column = byId.get(header.column.id)
      return column ? [{ header, column }] : []
    }),
  )
  const placed = heads.map(({ header, column }) => {
    const isPinned = header.column.getIsPinned() === 'start'
    const style: CSSProperties = isPinned ? { left: px(header.column.getStart('start')) } : {}
    return { column, isPinned, style }
  })
  const items = virtual.getVirtualItems()
  const shown = scrolls ? items.flatMap(({ index }) => all[index] ?? []) : all
  /** The heading above a row, if the row before it has another one. */
  const headingAt = (index: number) => {
    const [before, row] = [shown[index - 1], shown[index]]
    const heading = row && props.headingOf?.(row.original)
    return before && props.headingOf?.(before.original).id === heading?.id ? null : heading?.content
  }
  const above = scrolls ? (items[0]?.start ?? 0) : 0
  const below = scrolls ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  const widthOf = (column: ListColumn<Row>, size: number) => {
    const isFlexible = layout ? layout.flexible === column.id : column.width === undefined
    return isFlexible ? {} : { width: px(size) }
  }
  return (
    <>
      <section
        ref={scroller}
        className={classes['frame']}
        data-scrolls={scrolls || undefined}
        data-plain={props.isPlain || undefined}
        aria-label={scrolls ? label : undefined}
        aria-busy={rows === undefined || isStale}
        tabIndex={scrolls ? 0 : undefined}
        onKeyDown={moveBetweenRows}
      >
        <Table
          className={classes['table'] ?? ''}
          data-stale={isStale || undefined}
          aria-label={label}
          aria-rowcount={scrolls ? all.length + 1 : undefined}
          {...(layout ? { __vars: { '--list-width': px(table.getTotalSize()) } } : {})}
        >
          <Table.Thead>
            <Table.Tr>
              {heads.map(({ header, column }, index) => (
                <Table.Th
                  key={column.id}
                  className={classes['head'] ?? ''}
                  style={{ ...placed[index]?.style, ...widthOf(column, header.getSize()) }}
                  data-pinned={placed[index]?.isPinned || undefined}
                  data-align={column.align}
                  data-from={column.from}
                  aria-sort={directionOf(column, props.sort)}
                  {...(layout ? moveByDragging(column.id, layout.onMove) : {})}
                >
                  <Head column={column} sort={props.sort} />
                  {layout && (
                    // biome-ignore lint/a11y/noStaticElementInteractions: the menu of the column has the same for the keyboard.
                    <span
                      className={classes['handle']}
                      data-active={header.column.getIsResizing() || undefined}
                      title="Drag to resize column"
                      draggable
                      onDragStart={cancel}
                      onMouseDown={header.getResizeHandler()}
                      onTouchStart={header.getResizeHandler()}
                    />
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows === undefined &&
              SKELETON_ROWS.map((row) => (
                <Table.Tr key={row} className={classes['row'] ?? ''}>
                  {placed.map(({ column }) => (
                    <Table.Td key={column.id} data-phone={phoneOf(column)} data-from={column.from}>
                      <Skeleton height={10} width="70%" />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            {above > 0 && <Space height={above} />}
            {shown.map(({ id, index, original }) => {
              const heading = headingAt(index)
              const note = props.noteOf?.(original)
              return (
                <Fragment key={id}>
                  {heading && (
                    <tr className={classes['heading']}>
                      <th scope="rowgroup" colSpan={placed.length}>
                        {heading}
                      </th>
                    </tr>
                  )}
                  <Table.Tr
                    ref={scrolls ? virtual.measureElement : null}
                    className={classes['row'] ?? ''}
                    data-index={index}
                    data-look={props.lookOf?.(original)}
                    data-opens={props.onOpen !== undefined || undefined}
                    aria-rowindex={scrolls ? index + 2 : undefined}
                    aria-current={props.isCurrent?.(original) || undefined}
                    onClick={(event) => {
                      if (!isOfElement(event)) props.onOpen?.(original)
                    }}
                  >
                    {placed.map(({ column, isPinned, style }) => (
                      <Table.Td
                        key={column.id}
                        style={style}
                        data-pinned={isPinned || undefined}
                        data-align={column.align}
                        data-from={column.from}
                        data-phone={phoneOf(column)}
                        data-title={column.title}
                      >
                        {column.render(original)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                  {note && (
                    <Table.Tr className={classes['row'] ?? ''} data-look="note">
                      <Table.Td colSpan={placed.length} data-phone="line">
                        {note}
                      </Table.Td>
                    </Table.Tr>
                  )}
                </Fragment>
              )
            })}
            {below > 0 && <Space height={below} />}
          </Table.Tbody>
        </Table>
      </section>
      {props.more && (
        <Group justify="center" mt="sm">
          <Button variant="default" loading={props.more.isLoading} onClick={props.more.onLoad}>
            {props.more.label}
          </Button>
        </Group>
      )}
    </>
  )
}

const px = (pixels: number) => `${pixels / 16}rem`

function directionOf<Row>({ sort }: ListColumn<Row>, by: ListSort | undefined) {
  if (!by || sort === undefined || sort !== by.by) return undefined
  return by.descending ? 'descending' : 'ascending'
}

function Head<Row>(props: { column: ListColumn<Row>; sort: ListTableProps<Row>['sort'] }) {
  const { column, sort } = props
  const { title, head, hidesTitle } = column
  if (head !== undefined) return head
  if (hidesTitle) return <VisuallyHidden>{title}</VisuallyHidden>
  const by = column.sort
  if (!sort || by === undefined) return title
  const isSorted = sort.by === by
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp
  return (
    <UnstyledButton
      className={classes['sort'] ?? ''}
      onClick={() => sort.onSort({ by, descending: isSorted && !sort.descending })}
    >
      {title}
      {isSorted && <Arrow size={14} aria-hidden />}
    </UnstyledButton>
  )
}

/** Takes the place of rows that are not rendered. */
function Space({ height }: { height: number }) {
  return (
    <tr>
      <td style={{ height, padding: 0 }} />
    </tr>
  )
}
