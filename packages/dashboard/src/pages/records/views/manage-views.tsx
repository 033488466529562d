import { ActionIcon, Badge, Group, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import type { SavedView, ViewChange } from '@recordhub/protocol'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { viewsQuery } from '../../../api/views.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'

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
      title: TEXTS.deleteViewTitle(view.name),
      children: view.shared ? TEXTS.deleteSharedViewMessage : TEXTS.deleteViewMessage,
      action: TEXTS.deleteView,
      onConfirm: async () => {
        await callHub(`/api/v1/views/${view.id}`, { method: 'DELETE' })
        await refresh()
      },
    })

  return (
    <Dialog opened={isOpen} onClose={onClose} title={TEXTS.savedViews} size="lg" centered>
      <Stack gap="sm">
        {views.length === 0 && (
          <Text size="sm" c="dimmed">
            {TEXTS.noSavedViews}
          </Text>
        )}
        {views.map((view) => {
          const canChange = view.own || isAdmin
          return (
            <Group key={view.id} gap="sm" wrap="nowrap">
              <TextInput
                aria-label={TEXTS.nameView(view.name)}
                defaultValue={view.name}
                maxLength={100}
                disabled={!canChange}
                flex={1}
                onBlur={({ currentTarget }) => {
                  const name = currentTarget.value.trim()
                  if (name === '' || name === view.name) currentTarget.value = view.name
                  else void update(view, { name }, TEXTS.renamedTo(name))
                }}
                onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
              />
              {canChange ? (
                <>
                  <Switch
                    label={TEXTS.shared}
                    checked={view.shared}
                    disabled={!canShare}
                    onChange={() =>
                      void update(
                        view,
                        { shared: !view.shared },
                        view.shared ? TEXTS.viewPrivate : TEXTS.viewSharedEveryone,
                      )
                    }
                  />
                  <Tooltip label={TEXTS.updateView}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={TEXTS.updateNamedView(view.name)}
                      onClick={() => void update(view, { query }, TEXTS.viewWasUpdated)}
                    >
                      <IconRefresh size={16} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={TEXTS.delete}>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={TEXTS.deleteNamed(view.name)}
                      onClick={() => remove(view)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Tooltip>
                </>
              ) : (
                <Badge variant="light" color="gray" tt="none">
                  {TEXTS.sharedAnotherOperator}
                </Badge>
              )}
            </Group>
          )
        })}
      </Stack>
    </Dialog>
  )
}
