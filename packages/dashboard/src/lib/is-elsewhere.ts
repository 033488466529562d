/** Whether a key is pressed in an input, a menu or a dialog, and so is not one of the page. */
export function isElsewhere({ target }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [role=menu], [role=dialog]') !== null
  )
}
