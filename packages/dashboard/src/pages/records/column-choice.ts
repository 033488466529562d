/** The visible columns and their order, stored in the browser for each module. */

import { useCallback, useState } from 'react'
import type { UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'

export type ColumnChoice = {
  /** Column ids. A column that is not listed has its default position. */
  order: readonly string[]
  hidden: readonly string[]
  /** Columns that are hidden by default. */
  shown: readonly string[]
}

export const DEFAULT_CHOICE: ColumnChoice = { order: [], hidden: [], shown: [] }

export function keyOfChoice({ platform = '', record_type = '' }: UrlState): string {
  return `recordhub.columns.${JSON.stringify([platform, record_type])}`
}

export function parseChoice(text: string | null): ColumnChoice {
  if (text === null) return DEFAULT_CHOICE
  try {
    const { order, hidden, shown } = JSON.parse(text)
    return { order: textsOf(order), hidden: textsOf(hidden), shown: textsOf(shown) }
  } catch {
    return DEFAULT_CHOICE
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** All columns in the chosen order. A new column follows its predecessor of the default order. */
export function arrange(columns: readonly Column[], { order }: ColumnChoice): Column[] {
  const known = new Map(columns.map((column) => [column.id, column]))
  const arranged = order.flatMap((id) => known.get(id) ?? [])
  const positioned = new Set(arranged)
  columns.forEach((column, index) => {
    if (positioned.has(column)) return
    const before = columns[index - 1]
    arranged.splice(before ? arranged.indexOf(before) + 1 : 0, 0, column)
    positioned.add(column)
  })
  return arranged
}

export function isShown({ id, isHiddenByDefault }: Column, choice: ColumnChoice): boolean {
  return isHiddenByDefault ? choice.shown.includes(id) : !choice.hidden.includes(id)
}

export function toggle(column: Column, choice: ColumnChoice): ColumnChoice {
  const { id, isHiddenByDefault } = column
  const list = isHiddenByDefault ? 'shown' : 'hidden'
  const before = choice[list]
  const after = before.includes(id) ? before.filter((one) => one !== id) : [...before, id]
  return { ...choice, [list]: after }
}

/** Moves a column to the left (-1) or right (1) of its visible neighbour. */
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

/**
 * The column choice for this platform and module, stored in this browser. `resets` counts the resets, which also delete the
 * column widths, whose storage keys start with the key of the choice.
 */
export function useColumnChoice(state: UrlState): {
  choice: ColumnChoice
  choose: (choice: ColumnChoice) => void
  resets: number
} {
  const key = keyOfChoice(state)
  const [stored, setStored] = useState({ key, choice: parseChoice(localStorage.getItem(key)) })
  const [resets, setResets] = useState(0)
  const current =
    stored.key === key ? stored : { key, choice: parseChoice(localStorage.getItem(key)) }
  if (current !== stored) setStored(current)
  const choose = useCallback(
    (choice: ColumnChoice) => {
      setStored({ key, choice })
      if (choice === DEFAULT_CHOICE) {
        for (const name of Object.keys(localStorage)) {
          if (name.startsWith(key)) localStorage.removeItem(name)
        }
        setResets((count) => count + 1)
      } else localStorage.setItem(key, JSON.stringify(choice))
    },
    [key],
  )
  return { choice: current.choice, choose, resets }
}
