import { Badge, Button, Group, Menu, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { SavedView, ViewChange } from '@recordhub/protocol'
import {
  IconBookmark,
  IconCheck,
  IconDeviceFloppy,
  IconRefresh,
  IconSettings,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { viewsQuery } from '../../../api/records.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { useSubmit } from '../../../lib/use-submit.ts'
import { isViewOpen, openView, type ViewLayout, viewQueryOf } from '../list-query.ts'

/** The saved views of the operator, and the shared ones. */
export function ViewsMenu({ layout }: { layout: ViewLayout }) {
  const [state, change] = useUrlState()
  const { data } = useQuery(viewsQuery())
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null)
  const close = () => setDialog(null)
  const views = data?.views ?? []
  const saved = viewQueryOf({ ...state, ...layout })
  const isCurrent = ({ query }: SavedView) => isViewOpen(state, layout, query)
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
      <Menu position="bottom-end" withArrow shadow="md" width={260}>
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
      <SaveView isOpen={dialog === 'save'} onClose={close} query={saved} />
      <Dialog opened={dialog === 'manage'} onClose={close} title="Saved views" size="lg">
        <ManageViews views={views} query={saved} />
      </Dialog>
    </>
  )
}

const SCROLLING = { overflowY: 'auto' } as const

/** A dialog to save the current list as a view. */
function SaveView(props: { isOpen: boolean; onClose: () => void; query: string }) {
  const { isOpen, onClose, query } = props
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const [errorText, setErrorText] = useState('')
  const client = useQueryClient()
  const canShare = useHasRole('operator')

  const { isBusy, onSubmit } = useSubmit(async () => {
    setErrorText('')
    try {
      await callHub('/api/v1/views', { method: 'POST', body: { name: name.trim(), query, shared } })
      await client.invalidateQueries(viewsQuery())
      notify(`Saved as “${name.trim()}”.`)
      setName('')
      setShared(false)
      onClose()
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })

  return (
    <Dialog opened={isOpen} onClose={onClose} title="Save this view">
      <form onSubmit={onSubmit}>
        <Stack>
          <TextInput
            label="Name"
            description="Saves search, filters, sorting, what is counted, and the columns with their order and widths."
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Switch
            label="Share with everyone"
            description={
              canShare ? 'All operators and viewers can use it.' : 'Requires the operator role.'
            }
            disabled={!canShare}
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          <FormActions error={errorText} action="Save" isBusy={isBusy} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Renames, updates, shares and deletes saved views. */
function ManageViews({ views, query }: { views: readonly SavedView[]; query: string }) {
  const client = useQueryClient()
  const isAdmin = useHasRole('admin')
  const canShare = useHasRole('operator')
  const refresh = () => client.invalidateQueries(viewsQuery())

  async function update(view: SavedView, changes: ViewChange, message: string): Promise<void> {
    const isDone = await attempt(() =>
      callHub(`/api/v1/views/${view.id}`, { method: 'PATCH', body: changes }),
    )
    await refresh()
    if (isDone) notify(message)
  }

  const remove = (view: SavedView) =>
    confirm({
      title: `Delete the view “${view.name}”?`,
      children: view.shared
        ? 'It is deleted for everyone. Records are not changed.'
        : 'Records are not changed.',
      action: 'Delete view',
      onConfirm: async () => {
        await callHub(`/api/v1/views/${view.id}`, { method: 'DELETE' })
        await refresh()
      },
    })

  return (
    <Stack gap="sm">
      {views.length === 0 && (
        <Text size="sm" c="dimmed">
          No saved views.
        </Text>
      )}
      {views.map((view) => {
        const canChange = view.own || isAdmin
        return (
          <Group key={view.id} gap="sm" wrap="nowrap">
            <TextInput
              aria-label={`Name of the view ${view.name}`}
              defaultValue={view.name}
              maxLength={100}
              disabled={!canChange}
              flex={1}
              onBlur={({ currentTarget }) => {
                const name = currentTarget.value.trim()
                if (name === '' || name === view.name) currentTarget.value = view.name
                else void update(view, { name }, `Renamed to “${name}”.`)
              }}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
            />
            {canChange ? (
              <>
                <Switch
                  label="Shared"
                  checked={view.shared}
                  disabled={!canShare}
                  onChange={() =>
                    void update(
                      view,
                      { shared: !view.shared },
                      view.shared ? 'The view is private.' : 'The view is shared with everyone.',
                    )
                  }
                />
                <IconButton
                  label={`Update ${view.name} to the current list`}
                  tooltip="Update to the current list"
                  onClick={() => void update(view, { query }, 'The view was updated.')}
                >
                  <IconRefresh size={16} />
                </IconButton>
                <IconButton
                  label={`Delete ${view.name}`}
                  tooltip="Delete"
                  color="red"
                  onClick={() => remove(view)}
                >
                  <IconTrash size={16} />
                </IconButton>
              </>
            ) : (
              <Badge variant="light" color="gray">
                Shared by another operator
              </Badge>
            )}
          </Group>
        )
      })}
    </Stack>
  )
}
