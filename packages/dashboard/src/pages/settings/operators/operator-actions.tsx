import { Button, Group } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'

/** Actions of an admin on another operator. */
export function OperatorActions({
  operator,
  onChanged,
  onRemoved,
}: {
  operator: Operator
  onChanged: () => Promise<void>
  onRemoved: () => void
}) {
  const { id, name, disabled_at, second_factor, passkeys, sessions } = operator
  const path = `/api/v1/operators/${id}`

  async function enable(): Promise<void> {
    await attempt(async () => {
      await callHub(path, { method: 'PATCH', body: { disabled: false } })
      await onChanged()
      notify(`${name} can sign in again.`)
    })
  }

  const disable = () =>
    confirm({
      title: `Disable ${name}?`,
      children: 'All sessions end immediately, and API tokens no longer work. Nothing is deleted.',
      action: 'Disable',
      async onConfirm() {
        await callHub(path, { method: 'PATCH', body: { disabled: true } })
        await onChanged()
        notify(`${name} is disabled.`)
      },
    })

  const endAll = () =>
    confirm({
      title: `Sign ${name} out everywhere?`,
      children: 'All sessions of this operator end immediately.',
      action: 'End all sessions',
      async onConfirm() {
        await callHub(`${path}/sessions`, { method: 'DELETE' })
        await onChanged()
        notify('All sessions have ended.')
      },
    })

  const resetSecondFactor = () =>
    confirm({
      title: `Reset two-factor authentication of ${name}?`,
      children:
        'Use this if the operator has lost the authenticator app and recovery codes, or the device with the passkeys. This deletes them and ends all sessions. The operator can then set up a new second factor with the password alone.',
      action: 'Reset',
      async onConfirm() {
        await callHub(`${path}/second-factor`, { method: 'DELETE' })
        await onChanged()
        notify('Two-factor authentication was reset.')
      },
    })

  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      children:
        'This deletes the account with its sessions, passkeys and API tokens. Its actions stay in the audit log.',
      action: 'Remove',
      async onConfirm() {
        await callHub(path, { method: 'DELETE' })
        onRemoved()
        await onChanged()
        notify(`${name} was removed.`)
      },
    })

  return (
    <Group gap="xs">
      {sessions > 0 && (
        <Button variant="default" onClick={endAll}>
          End all sessions
        </Button>
      )}
      {(second_factor || passkeys > 0) && (
        <Button variant="default" onClick={resetSecondFactor}>
          Reset two-factor authentication
        </Button>
      )}
      {disabled_at ? (
        <Button variant="default" onClick={enable}>
          Enable
        </Button>
      ) : (
        <Button variant="default" onClick={disable}>
          Disable
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        Remove
      </Button>
    </Group>
  )
}
