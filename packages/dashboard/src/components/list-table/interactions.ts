/** Clicks, keys and drags in a list table. */
import type { DragEvent, KeyboardEvent, MouseEvent } from 'react'

/**
 * A click on a link or button of the row, or one that selects text, does not open the row. Nor does one in a menu or dialog
 * of the row, which is elsewhere in the document.
 */
export function isOfElement({ target, currentTarget, defaultPrevented }: MouseEvent): boolean {
  if (defaultPrevented || getSelection()?.isCollapsed === false) return true
  if (!(target instanceof Element)) return false
  if (!currentTarget.contains(target)) return true
  const element = target.closest('a, button, input, label, [role]')
  // The row may itself be in an element with a role, such as the panel of a tab.
  return element !== null && currentTarget.contains(element)
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** ↑, ↓, J and K move the focus to the link or button of another row. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  const { target, currentTarget } = event
  // A menu of a row moves the focus between its own items.
  if (!(target instanceof Node && currentTarget.contains(target))) return
  const isTyping = target instanceof Element && target.matches('input, textarea, select')
  if (step === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const rows = [
    ...currentTarget.querySelectorAll<HTMLElement>(
      'tr[data-index]:not([data-look="heading"], [data-look="note"])',
    ),
  ]
  const focusedRow = rows.findIndex((row) => row.contains(target))
  const from = focusedRow === -1 ? rows.findIndex((row) => row.ariaCurrent !== null) : focusedRow
  const next = rows[from === -1 ? 0 : from + step]
  const focused = next?.querySelector<HTMLElement>('a[href], button:not(:disabled)')
  if (!focused) return
  event.preventDefault()
  focused.focus()
}

export function cancel(event: DragEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

const DRAGGED = 'application/x-column'

/** A column is dropped on the one whose place it takes. */
export function moveByDragging(id: string, onMove: (id: string, to: string) => void) {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent) => dataTransfer.setData(DRAGGED, id),
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault()
    },
    onDrop: (event: DragEvent) => {
      const dragged = event.dataTransfer.getData(DRAGGED)
      if (dragged === '') return
      event.preventDefault()
      onMove(dragged, id)
    },
  }
}
