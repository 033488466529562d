import { Button, Group } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { TEXTS } from '../texts.tsx'

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
      notify(TEXTS.enabledDone(name))
    })
  }

  const disable = () =>
    confirm({
      title: TEXTS.disableTitle(name),
      children: TEXTS.disableMessage,
      action: TEXTS.disable,
      async onConfirm() {
        await callHub(path, { method: 'PATCH', body: { disabled: true } })
        await onChanged()
        notify(TEXTS.isDisabled(name))
      },
    })

  const endAll = () =>
    confirm({
      title: TEXTS.endAllSessionsTitle(name),
      children: TEXTS.endAllSessionsMessage,
      action: TEXTS.endAllSessions,
      async onConfirm() {
        await callHub(`${path}/sessions`, { method: 'DELETE' })
        await onChanged()
        notify(TEXTS.allSessionsHaveEnded)
      },
    })

  const resetSecondFactor = () =>
    confirm({
      title: TEXTS.resetTwoFactorTitle(name),
      children: TEXTS.resetTwoFactorMessage,
      action: TEXTS.reset,
      async onConfirm() {
        await callHub(`${path}/second-factor`, { method: 'DELETE' })
        await onChanged()
        notify(TEXTS.twoFactorWasReset)
      },
    })

  const remove = () =>
    confirm({
      title: TEXTS.removeTitle(name),
      children: TEXTS.removeMessage,
      action: TEXTS.remove,
      async onConfirm() {
        await callHub(path, { method: 'DELETE' })
        onRemoved()
        await onChanged()
        notify(TEXTS.wasRemoved(name))
      },
    })

  return (
    <Group gap="xs">
      {sessions > 0 && (
        <Button variant="default" onClick={endAll}>
          {TEXTS.endAllSessions}
        </Button>
      )}
      {(second_factor || passkeys > 0) && (
        <Button variant="default" onClick={resetSecondFactor}>
          {TEXTS.resetTwoFactor}
        </Button>
      )}
      {disabled_at ? (
        <Button variant="default" onClick={enable}>
          {TEXTS.enable}
        </Button>
      ) : (
        <Button variant="default" onClick={disable}>
          {TEXTS.disable}
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        {TEXTS.remove}
      </Button>
    </Group>
  )
}
