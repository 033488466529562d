import { Anchor } from '@mantine/core'
import { type ReactNode, useState } from 'react'

const FEW = 6

/** The first of what was found, and the others on a click: other lanes want to be seen as well. */
export function FirstFew<Item>({
  items,
  children,
}: {
  items: readonly Item[]
  children: (shown: readonly Item[]) => ReactNode
}) {
  const [isAll, setAll] = useState(false)
  const hidden = isAll ? 0 : Math.max(0, items.length - FEW)
  return (
    <>
      {children(isAll ? items : items.slice(0, FEW))}
      {hidden > 0 && (
        <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => setAll(true)}>
          Show {hidden} more
        </Anchor>
      )}
    </>
  )
}
