import { ActionIcon, Badge, Group, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import type { SavedView, ViewChange } from '@recordhub/protocol'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { viewsQuery } from '../../../api/views.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'

/** A dialog to rename, update, share and delete saved views. */
export function ManageViews({
  isOpen,
  onClose,
  views,
  query,
}: {
  isOpen: boolean
  onClose: () => void
  views: readonly SavedView[]
  query: string
}) {
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
    <Dialog opened={isOpen} onClose={onClose} title="Saved views" size="lg" centered>
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
                  <Tooltip label="Update to the current list">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Update ${view.name} to the current list`}
                      onClick={() => void update(view, { query }, 'The view was updated.')}
                    >
                      <IconRefresh size={16} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label="Delete">
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Delete ${view.name}`}
                      onClick={() => remove(view)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Tooltip>
                </>
              ) : (
                <Badge variant="light" color="gray" tt="none">
                  Shared by another operator
                </Badge>
              )}
            </Group>
          )
        })}
      </Stack>
    </Dialog>
  )
}
