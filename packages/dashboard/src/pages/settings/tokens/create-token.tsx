import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Role } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { hasRole, session } from '../../../api/session.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { ROLE_CHOICES } from '../../../lib/roles.ts'
import { useStore } from '../../../lib/store.ts'
import { SecretOnce } from '../secret-once.tsx'

const PERIODS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
]

/** Creates an API token, which is shown only once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const ownRole = useStore(session).operator?.role
  const [errorText, setErrorText] = useState('')
  const [token, setToken] = useState<string | null>(null)
  const form = useForm<{ name: string; role: Role; days: string }>({
    mode: 'controlled',
    initialValues: { name: '', role: 'viewer', days: '90' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const submit = form.onSubmit(async ({ name, role, days }) => {
    setErrorText('')
    try {
      const body = { name: name.trim(), role, expires_in_days: days === '' ? null : Number(days) }
      const created = await callHub<{ token: string }>('/api/v1/tokens', { method: 'POST', body })
      setToken(created.token)
      await client.invalidateQueries(tokensQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  if (token !== null) {
    return (
      <Dialog opened staysOpen onClose={onClose} title="Token created" centered size="lg">
        <Stack>
          <SecretOnce title="Copy the token now" value={token} label="token">
            The token is not shown again, because the hub stores only a hash of it.
          </SecretOnce>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title="Create token" centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="The purpose of the token, e.g. nightly export"
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select
            label="Role"
            description="At most your own role. The token is revoked when your account is removed."
            data={ROLE_CHOICES.filter(({ value }) => hasRole(ownRole, value))}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Select
            label="Expires after"
            data={PERIODS}
            allowDeselect={false}
            {...form.getInputProps('days')}
          />
          <FormActions
            error={errorText}
            action="Create token"
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
