import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { viewsQuery } from '../../../api/views.ts'
import { tell } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useStore } from '../../../lib/use-store.ts'

/** Keeps the list as it is under a name. */
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
  const [trouble, setTrouble] = useState('')
  const client = useQueryClient()
  const mayShare = mayActAs(useStore(session).operator?.role, 'operator')

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    try {
      await callHub('/api/v1/views', { method: 'POST', body: { name: name.trim(), query, shared } })
      await client.invalidateQueries(viewsQuery())
      tell(`Saved as “${name.trim()}”.`)
      setName('')
      setShared(false)
      setTrouble('')
      onClose()
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  }

  return (
    <Dialog opened={isOpen} onClose={onClose} title="Save this view" centered>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label="Name"
            description="Search, filters and order are kept; the columns stay a matter of each browser."
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={trouble}
          />
          <Switch
            label="Share it with everybody"
            description={
              mayShare ? 'All operators and viewers see it.' : 'This takes the role operator.'
            }
            disabled={!mayShare}
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
