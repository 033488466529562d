/** Which columns somebody wants to see, and in which order; remembered in the browser for each module. */
import type { UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'

export type ColumnChoice = {
  /** Ids; a column that is not in it stands where it stood at first. */
  order: readonly string[]
  hidden: readonly string[]
  /** Of those that are hidden at first. */
  shown: readonly string[]
}

export const NO_CHOICE: ColumnChoice = { order: [], hidden: [], shown: [] }

export function keyOfChoice({ platform = '', record_type = '' }: UrlState): string {
  return `recordhub.columns.${JSON.stringify([platform, record_type])}`
}

export function parseChoice(text: string | null): ColumnChoice {
  if (text === null) return NO_CHOICE
  try {
    const { order, hidden, shown } = JSON.parse(text)
    return { order: textsOf(order), hidden: textsOf(hidden), shown: textsOf(shown) }
  } catch {
    return NO_CHOICE
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** All columns in the chosen order; new ones come behind the one that they follow in the first order. */
export function arrange(columns: readonly Column[], { order }: ColumnChoice): Column[] {
  const known = new Map(columns.map((column) => [column.id, column]))
  const arranged = order.flatMap((id) => known.get(id) ?? [])
  const placed = new Set(arranged)
  columns.forEach((column, place) => {
    if (placed.has(column)) return
    const before = columns[place - 1]
    arranged.splice(before ? arranged.indexOf(before) + 1 : 0, 0, column)
    placed.add(column)
  })
  return arranged
}

export function isShown({ id, isHiddenAtFirst }: Column, choice: ColumnChoice): boolean {
  return isHiddenAtFirst ? choice.shown.includes(id) : !choice.hidden.includes(id)
}

export function toggle(column: Column, choice: ColumnChoice): ColumnChoice {
  const { id, isHiddenAtFirst } = column
  const list = isHiddenAtFirst ? 'shown' : 'hidden'
  const before = choice[list]
  const after = before.includes(id) ? before.filter((one) => one !== id) : [...before, id]
  return { ...choice, [list]: after }
}

/** Puts a column a place to the left (-1) or right (1) of where it is among those that are shown. */
export function move(
  columns: readonly Column[],
  choice: ColumnChoice,
  column: Column,
  by: -1 | 1,
): ColumnChoice {
  const arranged = arrange(columns, choice)
  const visible = arranged.filter((one) => isShown(one, choice))
  const neighbour = visible[visible.indexOf(column) + by]
  if (!neighbour) return choice
  const rest = arranged.filter((one) => one !== column)
  rest.splice(rest.indexOf(neighbour) + (by === 1 ? 1 : 0), 0, column)
  return { ...choice, order: rest.map(({ id }) => id) }
}
