import { Alert, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Invitation, Role } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { invitationsQuery } from '../../../api/operators.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { ROLE_CHOICES } from '../../../lib/roles.ts'
import { SecretOnce } from '../secret-once.tsx'

type CreatedInvitation = {
  invitation: Invitation
  link: string
  mailed: boolean
  mail_problem: string | null
}

/** Creates an invitation link, which is shown only once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [errorText, setErrorText] = useState('')
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  const form = useForm<{ email: string; role: Role; days: number | string }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'viewer', days: 7 },
  })
  const submit = form.onSubmit(async ({ email, role, days }) => {
    setErrorText('')
    try {
      const body = { email, role, expires_in_days: Number(days) }
      setCreated(await callHub<CreatedInvitation>('/api/v1/invitations', { method: 'POST', body }))
      await client.invalidateQueries(invitationsQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  if (created) {
    return (
      <Dialog
        opened
        staysOpen
        onClose={onClose}
        title={`Invitation for ${created.invitation.email}`}
        centered
        size="lg"
      >
        <Stack>
          <SecretOnce title="Invitation link" value={created.link} label="link">
            {created.mailed
              ? 'The link was sent by e-mail. You can also share it yourself. It is not shown again.'
              : 'Share the link over a private channel. It works once, and is not shown again.'}
          </SecretOnce>
          {created.mail_problem && (
            <Alert color="yellow" variant="light">
              The e-mail could not be sent: {created.mail_problem}. Share the link yourself.
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
            Creates a one-time link with which the new operator chooses a name and a password.
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
            label="Link expires after (days)"
            min={1}
            max={30}
            allowDecimal={false}
            required
            {...form.getInputProps('days')}
          />
          <FormActions
            error={errorText}
            action="Create link"
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
