import { useEffect, useEffectEvent } from 'react'

/** The close functions of the open dialogs, the topmost last. */
const layers: (() => void)[] = []

/**
 * Closes a dialog on Escape, but only while it is the topmost one. Each of Mantine's dialogs has its own listener, so all
 * of them would close. `close` is null for a dialog that Escape must not close.
 */
export function useCloseOnEscape(isOpen: boolean, close: (() => void) | null): void {
  const onEscape = useEffectEvent(() => close?.())
  useEffect(() => {
    if (!isOpen) return
    const layer = () => onEscape()
    if (layers.length === 0) window.addEventListener('keydown', closeTopmost, { capture: true })
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length > 0) return
      window.removeEventListener('keydown', closeTopmost, { capture: true })
    }
  }, [isOpen])
}

function closeTopmost({ key, isComposing, target }: KeyboardEvent): void {
  if (key !== 'Escape' || isComposing) return
  // Mantine marks the target of an open menu or select, which closes on Escape itself.
  const isInMenu =
    target instanceof Element && target.matches('[data-mantine-stop-propagation=true]')
  if (!isInMenu) layers.at(-1)?.()
}
