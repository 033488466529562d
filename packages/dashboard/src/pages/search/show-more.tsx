import { Anchor } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { TEXTS } from './texts.ts'

const INITIAL_COUNT = 6

/** Shows the first results, and all of them on request, so that other lanes stay visible. */
export function ShowMore<Item>({
  items,
  children,
}: {
  items: readonly Item[]
  children: (shown: readonly Item[]) => ReactNode
}) {
  const [isAll, setAll] = useState(false)
  const hidden = isAll ? 0 : Math.max(0, items.length - INITIAL_COUNT)
  return (
    <>
      {children(isAll ? items : items.slice(0, INITIAL_COUNT))}
      {hidden > 0 && (
        <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => setAll(true)}>
          {TEXTS.showMore(hidden)}
        </Anchor>
      )}
    </>
  )
}
