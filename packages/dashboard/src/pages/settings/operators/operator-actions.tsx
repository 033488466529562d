import { Button, Group } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { attempt, confirm, tell } from '../../../components/confirm.tsx'

/** What an admin can do to another operator. */
export function OperatorActions({
  operator,
  onChanged,
  onGone,
}: {
  operator: Operator
  onChanged: () => Promise<void>
  onGone: () => void
}) {
  const { id, name, disabled_at, second_factor, passkeys, sessions } = operator
  const path = `/api/v1/operators/${id}`

  async function enable(): Promise<void> {
    await attempt(async () => {
      await callHub(path, { method: 'PATCH', body: { disabled: false } })
      await onChanged()
      tell(`${name} can sign in again.`)
    })
  }

  const disable = () =>
    confirm({
      title: `Disable ${name}?`,
      children:
        'All sessions end at once, and tokens for programs hold no more. Nothing is deleted.',
      action: 'Disable',
      async onConfirm() {
        await callHub(path, { method: 'PATCH', body: { disabled: true } })
        await onChanged()
        tell(`${name} is disabled.`)
      },
    })

  const endAll = () =>
    confirm({
      title: `Sign ${name} out everywhere?`,
      children: 'Whoever is signed in has to sign in again.',
      action: 'End all sessions',
      async onConfirm() {
        await callHub(`${path}/sessions`, { method: 'DELETE' })
        await onChanged()
        tell('All sessions were ended.')
      },
    })

  const resetFactor = () =>
    confirm({
      title: `Take the second factor of ${name} away?`,
      children:
        'Do so for somebody who has lost the app and the recovery codes, or the device with the passkeys: all of it goes, and all sessions end. Somebody with the password alone can then set up a new one.',
      action: 'Take away',
      async onConfirm() {
        await callHub(`${path}/second-factor`, { method: 'DELETE' })
        await onChanged()
        tell('The second factor was taken away.')
      },
    })

  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      children:
        'The account goes for good, with its sessions, passkeys and tokens. What was done by it stays in the audit.',
      action: 'Remove',
      async onConfirm() {
        await callHub(path, { method: 'DELETE' })
        onGone()
        await onChanged()
        tell(`${name} was removed.`)
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
        <Button variant="default" onClick={resetFactor}>
          Reset the second factor
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
