/**
 * The visible columns with their order, widths and pins: those of the URL, which saved views and links contain, otherwise the
 * last ones of this browser for the module, which are then put into the URL.
 */
import { useEffect, useState } from 'react'
import { type UrlState, useUrlState } from '../../lib/url-state.ts'
import { type Column, columnOfPath } from './columns.ts'

export type PlacedColumn = {
  id: string
  /** In pixels; undefined for the width of its kind. */
  width: number | undefined
  isPinned: boolean
}

/** `hub_full_name;240;p,data.status`: ids are encoded, so that they contain neither `,` nor `;`. */
export function writeLayout(columns: readonly PlacedColumn[]): string {
  return columns
    .map(({ id, width, isPinned }) =>
      [encodeURIComponent(id), width === undefined ? [] : Math.round(width), isPinned ? 'p' : []]
        .flat()
        .join(';'),
    )
    .join(',')
}

/** Null for a text without columns. */
export function readLayout(text: string): PlacedColumn[] | null {
  const columns = new Map<string, PlacedColumn>()
  for (const part of text.split(',')) {
    const [encoded = '', ...properties] = part.split(';')
    const id = decode(encoded)
    if (id === '') continue
    const width = properties.map(Number).find((number) => number > 0 && number < 10_000)
    columns.set(id, { id, width, isPinned: properties.includes('p') })
  }
  return columns.size === 0 ? null : [...columns.values()]
}

/** The paths of the counted fields, encoded as the ids of columns are. */
export function readFacets(text: string): string[] {
  return text.split(',').map(decode)
}

export function writeFacets(paths: readonly string[]): string {
  return paths.map(encodeURIComponent).join(',')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** These stay visible while the others scroll. */
const PINNED: readonly string[] = ['hub_reference_number', 'hub_full_name']

export function defaultLayout(columns: readonly Column[]): PlacedColumn[] {
  return columns
    .filter(({ isHiddenByDefault }) => !isHiddenByDefault)
    .map(({ id }) => ({ id, width: undefined, isPinned: PINNED.includes(id) }))
}

export type ShownColumn = Column & PlacedColumn

const WIDTHS = { text: 170, number: 110, date: 130, boolean: 100 }
const WIDTHS_OF_ID: Readonly<Record<string, number>> = {
  hub_reference_number: 124,
  hub_full_name: 220,
  hub_updated_at: 124,
}
export const MIN_WIDTH = 64

export function widthOf({ id, kind, width }: ShownColumn): number {
  return width ?? WIDTHS_OF_ID[id] ?? WIDTHS[kind]
}

/** The columns of a layout in the order shown: pinned ones first. It may name paths that are not among the columns. */
export function columnsIn(
  layout: readonly PlacedColumn[],
  columns: readonly Column[],
): ShownColumn[] {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const placed = layout.flatMap((one) => {
    const column = byId.get(one.id) ?? columnOfPath(one.id)
    return column ? [{ ...column, ...one }] : []
  })
  return placed.toSorted((one, other) => Number(other.isPinned) - Number(one.isPinned))
}

/** Moves a column to the place of another. It is pinned there if the other one is. */
export function moveTo(
  layout: readonly PlacedColumn[],
  id: string,
  to: string | undefined,
): PlacedColumn[] {
  const from = layout.findIndex((one) => one.id === id)
  const place = layout.findIndex((one) => one.id === to)
  const [moved, target] = [layout[from], layout[place]]
  if (!moved || !target) return [...layout]
  return layout.toSpliced(from, 1).toSpliced(place, 0, { ...moved, isPinned: target.isPinned })
}

type ChoiceName = 'columns' | 'facets'

const keyOf = (name: ChoiceName, { platform = '', record_type = '' }: UrlState) =>
  `recordhub.${name}.${JSON.stringify([platform, record_type])}`

/** The hub and proxies limit the length of an address. A longer choice stays in this browser. */
const MAX_LINKED = 4000
const toLinked = (text: string | null) => (text && text.length <= MAX_LINKED ? text : null)

/** A choice for the list, as text: that of the URL, otherwise the last one of this browser for the module. */
export function useChoice(name: ChoiceName) {
  const [state, change] = useUrlState()
  const key = keyOf(name, state)
  const [, renderAgain] = useState(0)
  /** @param text null for the default. */
  function choose(text: string | null): void {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    renderAgain((count) => count + 1)
    change({ [name]: toLinked(text) }, { replace: true })
  }
  return { text: state[name] || localStorage.getItem(key) || '', choose }
}

/** Puts the choices of this browser into the URL, so that a link to the list shows the same table to everyone. */
export function useLinkedChoices(): void {
  const [state, change] = useUrlState()
  const unlinked = (name: ChoiceName) =>
    state[name] ? null : toLinked(localStorage.getItem(keyOf(name, state)))
  const [columns, facets] = [unlinked('columns'), unlinked('facets')]
  useEffect(() => {
    const linked = { ...(columns ? { columns } : {}), ...(facets ? { facets } : {}) }
    if (columns || facets) change(linked, { replace: true })
  }, [columns, facets, change])
}

/** The columns of the list, and functions that change and reset them. */
export function useColumnLayout(columns: readonly Column[]) {
  const { text, choose } = useChoice('columns')
  const chosen = columnsIn(readLayout(text) ?? [], columns)
  const shown = chosen.length > 0 ? chosen : columnsIn(defaultLayout(columns), columns)
  const place = (layout: readonly PlacedColumn[]) => choose(writeLayout(layout))
  return { shown, place, reset: () => choose(null) }
}
