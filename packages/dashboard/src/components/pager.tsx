import { Group } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { changeUrlState, type UrlChanges } from '../lib/url-state.ts'
import { PageButtons } from './page-buttons.tsx'

declare module '@tanstack/history' {
  interface HistoryState {
    /** The cursors of the pages before this one that were turned, the nearest last; '' for the first page. */
    turned?: string[]
  }
}

/**
 * Turns the pages of a list of which the hub tells only what follows: back goes the way that one came.
 * Nothing where there is one page. What follows a page that was left already, `isLate`, leads nowhere.
 */
export function Pager({ next, isLate }: { next: string | null; isLate: boolean }) {
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const cursor = search['cursor'] ?? ''
  if (cursor === '' && next === null) return null
  const turned = cursor === '' ? [] : (state.turned ?? [])
  const previous = turned.at(-1)
  const go = (to: string, way: string[]) => {
    void navigate({
      to: '.',
      search: (before: UrlChanges) => changeUrlState(before, { cursor: to }),
      state: { turned: way },
      resetScroll: false,
    })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group gap="xs" justify="flex-end" mt="sm" component="nav" aria-label="Pages of the list">
      <PageButtons
        onFirst={cursor === '' ? null : () => go('', [])}
        onPrevious={previous === undefined ? null : () => go(previous, turned.slice(0, -1))}
        onNext={next === null || isLate ? null : () => go(next, [...turned, cursor])}
      />
    </Group>
  )
}
