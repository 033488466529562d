import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Role } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { mayActAs, session } from '../../../api/session.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormEnd } from '../../../components/form-end.tsx'
import { useStore } from '../../../lib/use-store.ts'
import { ROLE_CHOICES } from '../operators/role-choices.ts'
import { SecretOnce } from '../secret-once.tsx'

const PERIODS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Never' },
]

/** Makes a token, which is shown this once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const own = useStore(session).operator?.role
  const [trouble, setTrouble] = useState('')
  const [token, setToken] = useState<string | null>(null)
  const form = useForm<{ name: string; role: Role; days: string }>({
    mode: 'controlled',
    initialValues: { name: '', role: 'viewer', days: '90' },
    validate: { name: (name) => (name.trim() === '' ? 'Say what it is for' : null) },
  })
  const submit = form.onSubmit(async ({ name, role, days }) => {
    setTrouble('')
    try {
      const body = { name: name.trim(), role, expires_in_days: days === '' ? null : Number(days) }
      const made = await callHub<{ token: string }>('/api/v1/tokens', { method: 'POST', body })
      setToken(made.token)
      await client.invalidateQueries(tokensQuery())
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  if (token !== null) {
    return (
      <Dialog opened staysOpen onClose={onClose} title="The token was made" centered size="lg">
        <Stack>
          <SecretOnce title="Copy it now" value={token} label="token">
            It is not shown again: the hub keeps only what it needs to recognise it.
          </SecretOnce>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title="New token" centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="What it is for, e.g. nightly export"
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select
            label="Role"
            description="Not above your own. It ends with your account."
            data={ROLE_CHOICES.filter(({ value }) => mayActAs(own, value))}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Select
            label="Expires after"
            data={PERIODS}
            allowDeselect={false}
            {...form.getInputProps('days')}
          />
          <FormEnd
            trouble={trouble}
            action="Make the token"
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
