import { Group } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { changeUrlState, type UrlChanges } from '../lib/url-state.ts'
import { TEXTS } from '../texts.ts'
import { PageButtons } from './page-buttons.tsx'

declare module '@tanstack/history' {
  interface HistoryState {
    /** The cursors of the previously visited pages, the most recent one last; '' for the first page. */
    visited?: string[]
  }
}

/**
 * The page buttons of a list with forward cursors only: "Previous" returns to the visited pages. Renders nothing for a
 * single page. `isStale`: the data belongs to a page that was left already, so its next cursor is not used.
 */
export function Pager({ next, isStale }: { next: string | null; isStale: boolean }) {
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const cursor = search['cursor'] ?? ''
  if (cursor === '' && next === null) return null
  const visited = cursor === '' ? [] : (state.visited ?? [])
  const previous = visited.at(-1)
  const go = (to: string, path: string[]) => {
    void navigate({
      to: '.',
      search: (before: UrlChanges) => changeUrlState(before, { cursor: to }),
      state: { visited: path },
      resetScroll: false,
    })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group gap="xs" justify="flex-end" mt="sm" component="nav" aria-label={TEXTS.pagination}>
      <PageButtons
        onFirst={cursor === '' ? null : () => go('', [])}
        onPrevious={previous === undefined ? null : () => go(previous, visited.slice(0, -1))}
        onNext={next === null || isStale ? null : () => go(next, [...visited, cursor])}
      />
    </Group>
  )
}
