import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { viewsQuery } from '../../../api/views.ts'
import { notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'

/** A dialog to save the current list as a view. */
export function SaveView({
  isOpen,
  onClose,
  query,
}: {
  isOpen: boolean
  onClose: () => void
  query: string
}) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const [errorText, setErrorText] = useState('')
  const client = useQueryClient()
  const canShare = useHasRole('operator')

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    try {
      await callHub('/api/v1/views', { method: 'POST', body: { name: name.trim(), query, shared } })
      await client.invalidateQueries(viewsQuery())
      notify(`Saved as “${name.trim()}”.`)
      setName('')
      setShared(false)
      setErrorText('')
      onClose()
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  }

  return (
    <Dialog opened={isOpen} onClose={onClose} title="Save this view" centered>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label="Name"
            description="Saves search, filters, sorting, and the columns with their order and widths."
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorText}
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
