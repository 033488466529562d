import { Button, Menu } from '@mantine/core'
import type { SavedView } from '@recordhub/protocol'
import { IconBookmark, IconCheck, IconDeviceFloppy, IconSettings } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { viewsQuery } from '../../../api/views.ts'
import { MENU_PROPS } from '../../../components/menu-props.ts'
import { parseUrlState, type UrlChanges, type UrlState } from '../../../lib/url-state.ts'
import { openView, viewQueryOf } from '../list-query.ts'
import { ManageViews } from './manage-views.tsx'
import { SaveView } from './save-view.tsx'

/** The saved views of the operator, and the shared ones. */
export function ViewsMenu({
  state,
  layout,
  change,
}: {
  state: UrlState
  /** The shown columns, which a saved view holds. */
  layout: string
  change: (changes: UrlChanges) => void
}) {
  const { data } = useQuery(viewsQuery())
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null)
  const views = data?.views ?? []
  const current = viewQueryOf({ ...state, columns: '' })
  const saved = viewQueryOf({ ...state, columns: layout })
  const isCurrent = ({ query }: SavedView) => {
    const view = parseUrlState(query)
    return viewQueryOf(view) === (view['columns'] === undefined ? current : saved)
  }
  const active = views.find(isCurrent)
  const item = (view: SavedView) => (
    <Menu.Item
      key={view.id}
      leftSection={isCurrent(view) ? <IconCheck size={16} /> : <IconBookmark size={16} />}
      aria-current={isCurrent(view) || undefined}
      onClick={() => change(openView(state, view.query))}
    >
      {view.name}
    </Menu.Item>
  )
  const own = views.filter((view) => view.own && !view.shared)
  const shared = views.filter((view) => view.shared)
  return (
    <>
      <Menu {...MENU_PROPS} position="bottom-end" withArrow shadow="md" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} />} maw={260}>
            {active?.name ?? 'Views'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={SCROLLING}>
          {views.length === 0 && (
            <Menu.Label>
              No saved views yet. Filter and sort the list, then save it as a view.
            </Menu.Label>
          )}
          {own.length > 0 && <Menu.Label>Yours</Menu.Label>}
          {own.map(item)}
          {shared.length > 0 && <Menu.Label>Shared</Menu.Label>}
          {shared.map(item)}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={16} />} onClick={() => setDialog('save')}>
            Save this view…
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => setDialog('manage')}>
              Manage views…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <SaveView isOpen={dialog === 'save'} onClose={() => setDialog(null)} query={saved} />
      <ManageViews
        isOpen={dialog === 'manage'}
        onClose={() => setDialog(null)}
        views={views}
        query={saved}
      />
    </>
  )
}

const SCROLLING = { overflowY: 'auto' } as const
