import { Alert, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Invitation, Role } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { invitationsQuery } from '../../../api/operators.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormEnd } from '../../../components/form-end.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { ROLE_CHOICES } from './role-choices.ts'

type Made = { invitation: Invitation; link: string; mailed: boolean; mail_problem: string | null }

/** Invites somebody by a link, which is shown this once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [trouble, setTrouble] = useState('')
  const [made, setMade] = useState<Made | null>(null)
  const form = useForm<{ email: string; role: Role; days: number | string }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'viewer', days: 7 },
  })
  const submit = form.onSubmit(async ({ email, role, days }) => {
    setTrouble('')
    try {
      const body = { email, role, expires_in_days: Number(days) }
      setMade(await callHub<Made>('/api/v1/invitations', { method: 'POST', body }))
      await client.invalidateQueries(invitationsQuery())
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  if (made) {
    return (
      <Dialog
        opened
        staysOpen
        onClose={onClose}
        title={`${made.invitation.email} is invited`}
        centered
        size="lg"
      >
        <Stack>
          <SecretOnce title="The link of the invitation" value={made.link} label="link">
            {made.mailed
              ? 'It was mailed. You may also hand it over yourself; it is not shown again.'
              : 'Hand it over in a way that nobody else reads. It holds once, and is not shown again.'}
          </SecretOnce>
          {made.mail_problem && (
            <Alert color="yellow" variant="light">
              It could not be mailed: {made.mail_problem}. Hand the link over yourself.
            </Alert>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title="Invite an operator" centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            You get a link. Whoever opens it chooses a name and a password.
          </Text>
          <TextInput
            label="E-mail"
            type="email"
            required
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Select
            label="Role"
            data={ROLE_CHOICES}
            allowDeselect={false}
            comboboxProps={{ withinPortal: true }}
            {...form.getInputProps('role')}
          />
          <NumberInput
            label="Days that the link holds"
            min={1}
            max={30}
            allowDecimal={false}
            required
            {...form.getInputProps('days')}
          />
          <FormEnd
            trouble={trouble}
            action="Make the link"
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
