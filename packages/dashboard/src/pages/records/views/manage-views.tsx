import { ActionIcon, Badge, Group, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import type { SavedView, ViewChange } from '@recordhub/protocol'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { viewsQuery } from '../../../api/views.ts'
import { attempt, confirm, tell } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useStore } from '../../../lib/use-store.ts'

/** Renames, replaces, shares and deletes saved views. */
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
  const role = useStore(session).operator?.role
  const renew = () => client.invalidateQueries(viewsQuery())

  async function alter(view: SavedView, changes: ViewChange, words: string): Promise<void> {
    const isDone = await attempt(() =>
      callHub(`/api/v1/views/${view.id}`, { method: 'PATCH', body: changes }),
    )
    await renew()
    if (isDone) tell(words)
  }

  const remove = (view: SavedView) =>
    confirm({
      title: `Delete the view “${view.name}”?`,
      children: view.shared
        ? 'It goes for everybody. The records stay as they are.'
        : 'The records stay as they are.',
      action: 'Delete the view',
      onConfirm: async () => {
        await callHub(`/api/v1/views/${view.id}`, { method: 'DELETE' })
        await renew()
      },
    })

  return (
    <Dialog opened={isOpen} onClose={onClose} title="Saved views" size="lg" centered>
      <Stack gap="sm">
        {views.length === 0 && (
          <Text size="sm" c="dimmed">
            There are no views any more.
          </Text>
        )}
        {views.map((view) => {
          const mayChange = view.own || role === 'admin'
          return (
            <Group key={view.id} gap="sm" wrap="nowrap">
              <TextInput
                aria-label={`Name of the view ${view.name}`}
                defaultValue={view.name}
                maxLength={100}
                disabled={!mayChange}
                flex={1}
                onBlur={({ currentTarget }) => {
                  const name = currentTarget.value.trim()
                  if (name === '' || name === view.name) currentTarget.value = view.name
                  else void alter(view, { name }, `Renamed to “${name}”.`)
                }}
                onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
              />
              {mayChange ? (
                <>
                  <Switch
                    label="Shared"
                    checked={view.shared}
                    disabled={!mayActAs(role, 'operator')}
                    onChange={() =>
                      void alter(
                        view,
                        { shared: !view.shared },
                        view.shared ? 'Nobody else sees it now.' : 'Everybody sees it now.',
                      )
                    }
                  />
                  <Tooltip label="Replace with the list that is open">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Replace ${view.name} with the list that is open`}
                      onClick={() => void alter(view, { query }, 'It shows this list now.')}
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
                  shared by somebody else
                </Badge>
              )}
            </Group>
          )
        })}
      </Stack>
    </Dialog>
  )
}
