import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { viewsQuery } from '../../../api/views.ts'
import { notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'

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
      notify(TEXTS.savedAs(name.trim()))
      setName('')
      setShared(false)
      setErrorText('')
      onClose()
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  }

  return (
    <Dialog opened={isOpen} onClose={onClose} title={TEXTS.saveViewTitle} centered>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label={TEXTS.name}
            description={TEXTS.nameDescription}
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorText}
          />
          <Switch
            label={TEXTS.shareWithEveryone}
            description={canShare ? TEXTS.shareWithEveryoneHint : TEXTS.requiresOperatorRole}
            disabled={!canShare}
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" disabled={name.trim() === ''}>
              {TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
