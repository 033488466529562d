import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Role, TokenScope } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { hasRole, session } from '../../../api/session.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { PasswordAgainInput } from '../../../components/password-again-input.tsx'
import { ROLE_CHOICES } from '../../../lib/roles.ts'
import { useStore } from '../../../lib/store.ts'
import { SecretOnce } from '../secret-once.tsx'
import { TEXTS } from '../texts.tsx'

type Permission = { value: string; label: string; role: Role; scope?: TokenScope }

/** A scope restricts a token to what a role includes. */
const PERMISSIONS: readonly Permission[] = [
  { value: 'alerts', label: TEXTS.alertsOnly, role: 'viewer', scope: 'alerts' },
  ...ROLE_CHOICES.map(({ value, label }) => ({ value, label, role: value })),
  { value: 'hub_keys', label: TEXTS.hubKeysOnly, role: 'operator', scope: 'hub_keys' },
  { value: 'access', label: TEXTS.accessOnly, role: 'admin', scope: 'access' },
]

const PERIODS = [
  { value: '30', label: TEXTS.thirtyDays },
  { value: '90', label: TEXTS.ninetyDays },
  { value: '365', label: TEXTS.oneYear },
  { value: '', label: TEXTS.never },
]

/** Creates an API token, which is shown only once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const ownRole = useStore(session).operator?.role
  const [errorText, setErrorText] = useState('')
  const [token, setToken] = useState<string | null>(null)
  const form = useForm({
    mode: 'controlled',
    initialValues: { name: '', permission: 'viewer', days: '90', password: '' },
    validate: { name: (name) => (name.trim() === '' ? TEXTS.enterAName : null) },
  })
  const submit = form.onSubmit(async ({ name, permission, days, password }) => {
    setErrorText('')
    try {
      const { role, scope = null } = PERMISSIONS.find(({ value }) => value === permission) ?? {}
      const expires_in_days = days === '' ? null : Number(days)
      const body = { name: name.trim(), role, scope, expires_in_days, password }
      const created = await callHub<{ token: string }>('/api/v1/tokens', { method: 'POST', body })
      setToken(created.token)
      await client.invalidateQueries(tokensQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  if (token !== null) {
    return (
      <Dialog opened staysOpen onClose={onClose} title={TEXTS.tokenCreated} centered size="lg">
        <Stack>
          <SecretOnce title={TEXTS.copyTokenNow} value={token} label="token">
            {TEXTS.copyTokenNowHint}
          </SecretOnce>
          <Group justify="flex-end">
            <Button onClick={onClose}>{TEXTS.done}</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title={TEXTS.createToken} centered>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={TEXTS.name}
            description={TEXTS.nameDescription}
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select
            label={TEXTS.role}
            description={TEXTS.tokenRoleHint}
            data={PERMISSIONS.filter(({ role }) => hasRole(ownRole, role))}
            allowDeselect={false}
            {...form.getInputProps('permission')}
          />
          <Select
            label={TEXTS.expiresAfter}
            data={PERIODS}
            allowDeselect={false}
            {...form.getInputProps('days')}
          />
          <PasswordAgainInput {...form.getInputProps('password')} />
          <FormActions
            error={errorText}
            action={TEXTS.createToken}
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
